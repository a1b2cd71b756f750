// Folding, walking and searching. Nothing is done for an entry before somebody asks for it.
(() => {
  'use strict';
  const root = document.documentElement, $ = id => document.getElementById(id);
  const list = $('rows'), talk = $('talk'), query = $('q'), hits = $('hits'), toggle = $('toggle');
  const rows = [...list.children], articles = talk.getElementsByTagName('article');
  const article = row => $('e' + row.dataset.e);
  root.classList.add('js');

  // The tree: which rows are seen, which one is chosen.

  let words = [], found = [];

  function layout() {
    list.classList.toggle('found', words.length > 0);
    if (words.length) {
      const shown = new Set(found);
      rows.forEach((row, at) => { row.hidden = !shown.has(at); });
      return;
    }
    for (let at = 0, hiddenTo = -1; at < rows.length; at++) {
      rows[at].hidden = at <= hiddenTo;
      if (at > hiddenTo && rows[at].getAttribute('aria-expanded') === 'false') hiddenTo = +rows[at].dataset.to;
    }
  }

  function fold(row, open) {
    if (!row.hasAttribute('aria-expanded')) return false;
    row.setAttribute('aria-expanded', open);
    row.dataset.count = +row.dataset.to - rows.indexOf(row);
    layout();
    return true;
  }
  const isOpen = row => row.getAttribute('aria-expanded') === 'true';

  let chosen = null;

  function choose(row, focus) {
    if (chosen) { chosen.removeAttribute('aria-selected'); chosen.tabIndex = -1; } else rows[0].tabIndex = -1;
    chosen = row;
    row.setAttribute('aria-selected', 'true');
    row.tabIndex = 0;
    if (focus) row.focus({ preventScroll: true });
    row.scrollIntoView({ block: 'nearest' });
  }

  // The talk: one branch at a time.

  let children = null;

  function showBranch(to) {
    if (!children) {
      children = [...articles].map(() => []);
      [...articles].forEach((one, at) => { if (one.dataset.p) children[one.dataset.p].push(at); });
    }
    const path = new Set();
    for (let at = to; at !== undefined; at = articles[at].dataset.p && +articles[at].dataset.p) path.add(at);
    for (let at = to; at !== undefined; at = children[at][0]) path.add(at);
    [...articles].forEach((one, at) => { one.hidden = !path.has(at); });
  }

  function go(row, focus) {
    choose(row, focus);
    const one = article(row);
    if (one.hidden) showBranch(+row.dataset.e);
    root.classList.remove('open');
    toggle.setAttribute('aria-expanded', 'false');
    if (words.length) for (const part of one.querySelectorAll('details')) {
      if (words.some(word => normal(part.textContent).includes(word))) part.open = true;
    }
    one.scrollIntoView({ block: 'start' });
    one.classList.remove('here');
    requestAnimationFrame(() => one.classList.add('here'));
    if (words.length) mark();
  }

  list.addEventListener('click', event => {
    const row = event.target.closest('li');
    if (!row) return;
    if (event.target.closest('.fold')) { fold(row, !isOpen(row)); choose(row, true); } else go(row, true);
  });

  const seen = (from, step) => {
    for (let at = from; at >= 0 && at < rows.length; at += step) if (!rows[at].hidden) return rows[at];
  };

  list.addEventListener('keydown', event => {
    const row = event.target.closest('li');
    if (!row || event.altKey || event.ctrlKey || event.metaKey) return;
    const at = rows.indexOf(row);
    let to;
    switch (event.key) {
      case 'ArrowDown': to = seen(at + 1, 1); break;
      case 'ArrowUp': to = seen(at - 1, -1); break;
      case 'Home': to = seen(0, 1); break;
      case 'End': to = seen(rows.length - 1, -1); break;
      case 'ArrowLeft': if (!(isOpen(row) && fold(row, false))) to = branchStart(at); break;
      case 'ArrowRight': if (!(row.getAttribute('aria-expanded') === 'false' && fold(row, true))) to = seen(at + 1, 1); break;
      case 'Enter': case ' ': go(row, true); break;
      default: return;
    }
    event.preventDefault();
    if (to) choose(to, true);
  });

  // The row at which the branch of a row starts.
  function branchStart(at) {
    for (let up = at - 1; up >= 0; up--) if (+rows[up].dataset.to >= at) return rows[up];
  }

  // Search: every word somewhere in the row or in what it stands for.

  const normal = text => text.normalize('NFC').toLowerCase();
  let texts = null;

  function readAll() {
    const row = new Set(rows.map(one => +one.dataset.e));
    texts = rows.map(one => {
      let text = one.textContent, at = +one.dataset.e;
      do {
        text += '\n' + articles[at].textContent;
        at = articles[at].dataset.p === undefined ? -1 : +articles[at].dataset.p;
      } while (at >= 0 && !row.has(at));
      return normal(text);
    });
  }

  function search(composing) {
    // The last letter of a syllable that is still being composed would find nothing.
    const text = composing ? query.value.replace(/[\u3131-\u318e]$/, '') : query.value;
    words = normal(text).split(/\s+/).filter(Boolean);
    if (words.length && !texts) readAll();
    found = words.length ? rows.map((_, at) => at).filter(at => words.every(word => texts[at].includes(word))) : [];
    hits.value = words.length ? `${found.length} of ${rows.length}` : '';
    $('none').hidden = !words.length || found.length > 0;
    layout();
    mark();
    if (!words.length && chosen) chosen.scrollIntoView({ block: 'nearest' });
  }

  // Marks are laid over the text; the page itself is not changed.
  function mark() {
    if (!window.CSS || !CSS.highlights) return;
    CSS.highlights.delete('hit');
    if (!words.length) return;
    const ranges = [];
    for (const at of found) {
      if (ranges.length > 2000) break;
      ranges.push(...marksIn(rows[at]));
      if (!article(rows[at]).hidden) ranges.push(...marksIn(article(rows[at])));
    }
    CSS.highlights.set('hit', new Highlight(...ranges));
  }

  function* marksIn(element) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node; (node = walker.nextNode());) {
      const text = node.data.toLowerCase();
      if (text.length !== node.data.length) continue;
      for (const word of words) {
        for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
          const range = new Range();
          range.setStart(node, at);
          range.setEnd(node, at + word.length);
          yield range;
        }
      }
    }
  }

  query.addEventListener('input', event => search(event.isComposing));
  query.addEventListener('compositionend', () => search(false));
  query.addEventListener('focus', () => { if (query.value) openTree(true); });
  query.addEventListener('input', () => openTree(Boolean(query.value)));
  query.addEventListener('keydown', event => {
    if (event.isComposing) return;
    if (event.key === 'Escape') { query.value = ''; search(false); openTree(false); query.blur(); }
    if (event.key === 'ArrowDown' && seen(0, 1)) { event.preventDefault(); choose(seen(0, 1), true); }
    if (event.key === 'Enter' && found.length) {
      const here = chosen ? rows.indexOf(chosen) : -1;
      const next = event.shiftKey ? found.findLast(at => at < here) ?? found.at(-1) : found.find(at => at > here) ?? found[0];
      go(rows[next], false);
    }
  });

  // On a narrow screen the tree lies over the talk.
  function openTree(open) {
    root.classList.toggle('open', open);
    toggle.setAttribute('aria-expanded', open);
  }
  toggle.addEventListener('click', () => openTree(!root.classList.contains('open')));

  document.addEventListener('keydown', event => {
    if (event.key === '/' && !event.ctrlKey && !event.metaKey && !event.target.closest('input')) {
      event.preventDefault();
      query.focus();
      query.select();
    } else if (event.key === 'Escape') openTree(false);
  });

  addEventListener('beforeprint', () => {
    for (const one of talk.querySelectorAll('article:not([hidden]) details')) one.open = true;
  });
})();
