//! Holds lines of code, of logs and of English and Korean prose that texts are put together from.
//!
//! Each line is escaped for JSON once, so that a text of any size is made by copying.

use std::fmt::Write;

use super::dice::Dice;

/// Lines of each sort.
const LINES: usize = 4000;
/// Characters that signatures of thinking are cut from.
const SIGNATURES: usize = 60_000;
const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

const ENGLISH: &str = "the of to function return const value error session entry parent child leaf branch tree \
    index file path read write append message token model context tool result summary compaction label user \
    assistant string number object array map set filter sort render width select search query cache buffer \
    stream parse serialize migrate version header test build compile link debug trace log warn info async await \
    promise callback handler event emit listener config option default undefined null true false import export \
    class extends struct impl trait enum match fn let mut pub use mod crate vec unwrap clone borrow lifetime \
    thread mutex channel";

const KOREAN: &str = "세션 트리 항목 분기 요약 레이블 파일 경로 읽기 쓰기 추가 메시지 모델 컨텍스트 도구 결과 컴팩션 사용자 \
    어시스턴트 문자열 숫자 객체 배열 필터 정렬 렌더링 검색 질의 캐시 버퍼 스트림 파싱 직렬화 마이그레이션 버전 헤더 테스트 \
    빌드 컴파일 오류 경고 비동기 처리 이벤트 설정 기본값 확인 수정 삭제 이동 선택 현재 리프 부모 자식 루트 활성 메모리 성능 \
    측정 지연 시간 디스크 동기화 잠금 손상 복구 원자적 교체 호환성 형식 문서 규칙 예외";

const ENDINGS: [&str; 4] = ["합니다.", "했습니다.", "하세요.", "인지 확인합니다."];
const MARKS: [&str; 8] = ["✅", "🚀", "⚠️", "—", "…", "“", "→", "├─"];

/// One line, and what it counts before it is escaped.
#[derive(Debug)]
pub(super) struct Line {
    json: String,
    bytes: usize,
    chars: usize,
}

/// What a text is about.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sort {
    /// English, or Korean for every fourth text.
    Prose,
    /// What tools give: code and numbered lines, rarely Korean.
    Tool,
}

/// All lines.
#[derive(Debug)]
pub(super) struct Words {
    english: Vec<&'static str>,
    code: Vec<Line>,
    log: Vec<Line>,
    prose: Vec<Line>,
    korean: Vec<Line>,
    signatures: String,
    /// The share of Korean prose; tools give half of it.
    korean_share: f64,
}

impl Words {
    pub(super) fn new(korean_share: f64) -> Self {
        let mut dice = Dice::new(20_260_101);
        let english: Vec<&str> = ENGLISH.split_whitespace().collect();
        let hangul: Vec<&str> = KOREAN.split_whitespace().collect();
        let mut many = |make: &dyn Fn(&mut Dice) -> String| -> Vec<Line> {
            (0..LINES).map(|_| Line::new(&make(&mut dice))).collect()
        };
        let code = many(&|dice| code_line(dice, &english));
        let log = many(&|dice| {
            let (number, indent) = (dice.below(3000), "\t".repeat(dice.below(4)));
            let count = dice.between(3, 11);
            format!("{number:5}\t{indent}{}", some(dice, &english, count))
        });
        let prose = many(&|dice| {
            let count = dice.between(6, 22);
            let mut text = some(dice, &english, count) + ".";
            text[..1].make_ascii_uppercase();
            text
        });
        let korean = many(&|dice| {
            let count = dice.between(5, 16);
            let mut text = some(dice, &hangul, count) + dice.pick(&ENDINGS);
            if dice.chance(0.15) {
                text = text + " " + dice.pick(&MARKS);
            }
            text
        });
        let signatures = (0..SIGNATURES).map(|_| char::from(BASE64[dice.below(64)])).collect();
        Self { english, code, log, prose, korean, signatures, korean_share }
    }

    /// One word.
    pub(super) fn word(&self, dice: &mut Dice) -> &'static str {
        dice.pick(&self.english)
    }

    /// Some words with spaces between them.
    pub(super) fn some(&self, dice: &mut Dice, count: usize) -> String {
        some(dice, &self.english, count)
    }

    /// A stretch of base64, as the signature of a thinking block.
    pub(super) fn signature(&self, dice: &mut Dice) -> &str {
        let (start, len) = (dice.below(SIGNATURES - 1000), dice.between(200, 900));
        &self.signatures[start..start + len]
    }

    /// Appends a text of about `bytes` bytes, escaped, without quotes; returns its characters.
    pub(super) fn text(&self, dice: &mut Dice, sort: Sort, bytes: usize, out: &mut String) -> usize {
        let lines = match sort {
            Sort::Prose if dice.chance(self.korean_share) => &self.korean,
            Sort::Prose => &self.prose,
            Sort::Tool if dice.chance(self.korean_share / 2.0) => &self.korean,
            Sort::Tool if dice.chance(0.5) => &self.code,
            Sort::Tool => &self.log,
        };
        let (mut written, mut chars) = (0, 0);
        let mut at = dice.below(lines.len());
        while written < bytes {
            if written > 0 {
                out.push_str("\\n");
            }
            let line = &lines[at];
            out.push_str(&line.json);
            written += line.bytes + 1;
            chars += line.chars + 1;
            at = if dice.chance(0.03) { dice.below(lines.len()) } else { (at + 1) % lines.len() };
        }
        chars
    }
}

impl Line {
    fn new(text: &str) -> Self {
        let mut json = String::with_capacity(text.len() + 8);
        for char in text.chars() {
            match char {
                '\t' => json.push_str("\\t"),
                '"' => json.push_str("\\\""),
                other => json.push(other),
            }
        }
        Self { json, bytes: text.len(), chars: text.chars().count() }
    }
}

fn some(dice: &mut Dice, from: &[&str], count: usize) -> String {
    let mut text = String::new();
    for at in 0..count {
        if at > 0 {
            text.push(' ');
        }
        text.push_str(dice.pick(from));
    }
    text
}

fn code_line(dice: &mut Dice, words: &[&str]) -> String {
    let mut line = "\t".repeat(dice.below(4));
    let (a, b, c) = (dice.pick(words), dice.pick(words), dice.pick(words));
    let written = match dice.below(6) {
        0 => write!(line, "const {a} = {b}({c});"),
        1 => write!(line, "if ({a}.{b} === \"{c}\") {{"),
        2 => write!(line, "// {a} {b} {c}"),
        3 => write!(line, "return {a}.{b}({c} => 0);"),
        4 => write!(line, "pub fn {a}(&self, {b}: &str) -> {c} {{"),
        _ => write!(line, "import {{ {a} }} from \"./{b}/{c}.js\";"),
    };
    debug_assert!(written.is_ok(), "a String takes everything");
    line
}
