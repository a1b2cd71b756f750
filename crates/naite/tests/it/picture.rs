//! The picture of the navigator in the README: the real screen, written as SVG.

use std::fmt::Write;
use std::path::Path;

use crate::support::Sandbox;
use crate::tty::Tty;

/// The window of the picture.
const SIZE: (u16, u16) = (100, 28);
/// One cell, in pixels.
const CELL: (usize, usize) = (9, 19);
/// The sixteen colours of a terminal.
const COLORS: [&str; 16] = [
    "#1c1f26", "#d95468", "#8bd49c", "#ebbf83", "#5ec4ff", "#b62d65", "#70e1e8", "#b7c5d3", "#5d6b80",
    "#f0718a", "#a8e6b4", "#f7d78f", "#7fd1ff", "#e27ec0", "#93edf2", "#ffffff",
];
const GROUND: &str = "#1c1f26";
const LETTERS: &str = "#d7dee8";

/// Compares the picture in the repository with the screen; with `NAITE_PICTURE=write` it is drawn anew.
#[test]
fn the_picture_in_the_readme_is_what_people_see() {
    let sandbox = Sandbox::new();
    let home = sandbox.path("naite");
    let demo = sandbox.json(["demo", "--json", "--into", home.to_str().expect("UTF-8")]);
    let path = demo["sessions"][0]["path"].as_str().expect("a session").to_owned();
    let mut tty = Tty::start(&sandbox, &["tree", &path, "--lang", "en"], SIZE);
    tty.wait_for("10 of 13").send("\x1b[H").wait_for("1 of 13");
    tty.send("\x1b[B\x1b[B\x1b[B").wait_for("4 of 13");
    let drawn = svg(tty.screen());
    tty.send("\x03");
    assert!(tty.finish().0.success());
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/navigator.svg");
    if std::env::var_os("NAITE_PICTURE").is_some_and(|wish| wish == "write") {
        std::fs::write(&file, &drawn).expect("a writable repository");
    }
    let kept = std::fs::read_to_string(&file).expect("the picture");
    assert!(kept == drawn, "docs/navigator.svg is not the screen any more; draw it with NAITE_PICTURE=write");
}

fn svg(screen: &vt100::Screen) -> String {
    let (width, height) = (usize::from(SIZE.0) * CELL.0 + 20, usize::from(SIZE.1) * CELL.1 + 20);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-size=\"15\" \
         font-family=\"ui-monospace, 'Noto Sans Mono CJK KR', Menlo, Consolas, monospace\">\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"{GROUND}\"/>\n"
    );
    for row in 0..SIZE.1 {
        let mut run: Option<Run> = None;
        for column in 0..SIZE.0 {
            let Some(cell) = screen.cell(row, column).filter(|cell| !cell.is_wide_continuation()) else {
                continue;
            };
            let next = Run::of(cell, usize::from(column), usize::from(row));
            match &mut run {
                Some(run) if run.goes_on_with(&next) => run.text += &next.text,
                _ => {
                    run.replace(next).iter().for_each(|run| run.draw(&mut out));
                }
            }
        }
        run.iter().for_each(|run| run.draw(&mut out));
    }
    out + "</svg>\n"
}

/// Cells of one look that stand beside each other.
struct Run {
    text: String,
    letters: &'static str,
    ground: &'static str,
    is_bold: bool,
    column: usize,
    row: usize,
}

impl Run {
    fn of(cell: &vt100::Cell, column: usize, row: usize) -> Self {
        let color = |color: vt100::Color, or: &'static str| match color {
            vt100::Color::Idx(number) => COLORS.get(usize::from(number)).copied().unwrap_or(or),
            _ => or,
        };
        let (mut letters, mut ground) = (color(cell.fgcolor(), LETTERS), color(cell.bgcolor(), GROUND));
        if cell.dim() {
            letters = COLORS[8];
        }
        if cell.inverse() {
            (letters, ground) = (ground, letters);
        }
        let text = if cell.has_contents() { cell.contents().to_owned() } else { " ".into() };
        Self { text, letters, ground, is_bold: cell.bold(), column, row }
    }

    /// Letters of which every font agrees how wide they are may stand in one run.
    fn goes_on_with(&self, next: &Self) -> bool {
        (self.letters, self.ground, self.is_bold) == (next.letters, next.ground, next.is_bold)
            && self.text.is_ascii()
            && next.text.is_ascii()
    }

    fn draw(&self, out: &mut String) {
        let (x, y) = (10 + self.column * CELL.0, 10 + self.row * CELL.1);
        let width = naite_core::text::width(&self.text) * CELL.0;
        if self.ground != GROUND {
            let _ = writeln!(
                out,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{}\" fill=\"{}\"/>",
                CELL.1, self.ground
            );
        }
        if self.text.trim().is_empty() {
            return;
        }
        let text = self.text.replace('&', "&amp;").replace('<', "&lt;");
        let bold = if self.is_bold { " font-weight=\"bold\"" } else { "" };
        let _ = writeln!(
            out,
            "<text x=\"{x}\" y=\"{}\" fill=\"{}\" textLength=\"{width}\" xml:space=\"preserve\"{bold}>{text}</text>",
            y + 14,
            self.letters
        );
    }
}
