// Building the page. Everything that comes out of a memory becomes a text node
// or an attribute; nothing is ever parsed as markup.

const hiddenCodes = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff]/g

/** Text that shows what it holds: control codes and marks that turn the
 * direction of writing become visible signs. Newlines and tabs stay. */
export function clean(text) {
  return String(text).replaceAll('\r\n', '\n').replace(hiddenCodes, c => {
    const code = c.codePointAt(0)
    if (code < 0x20) return String.fromCodePoint(0x2400 + code)
    if (code === 0x7f) return '\u2421'
    return '[U+' + code.toString(16).toUpperCase().padStart(4, '0') + ']'
  })
}

/** An element: h('p', {class: 'x', onclick: f}, 'text', child, …). */
export function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children)
}

/** The same for SVG. */
export function s(tag, attributes, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children)
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value)
    else if (name === 'style') for (const [k, v] of Object.entries(value)) element.style.setProperty(k, v)
    else if (name === 'value') element.value = value
    else element.setAttribute(name, value === true ? '' : clean(value))
  }
  add(element, children)
  return element
}

export function add(element, children) {
  for (const child of [children].flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue
    element.append(child instanceof Node ? child : document.createTextNode(clean(child)))
  }
}

export function replace(element, ...children) {
  element.textContent = ''
  add(element, children)
  return element
}

const shapes = {
  explore: 'M12 21v-8m0 4-5-4m5 1 5-4M12 9.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM5.5 12a2 2 0 1 0 0-4 2 2 0 0 0 0 4Zm13-2a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z',
  diagnose: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13Zm5-2L20 20M8 10.5h5M10.5 8v5',
  timeline: 'M4 7h9M4 12h5m3 0h8M4 17h12M16.5 5v4',
  activity: 'M3 12h4l3-7 4 14 3-7h4',
  setup: 'M5 4v6m0 4v6M12 4v3m0 4v9m7-16v9m0 4v3M3 12h4M10 9h4m3 6h4',
  leaf: 'M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6',
  folder: 'M3 6h6l2 2h10v11H3z',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  check: 'm5 12 5 5 9-11',
  warn: 'M12 4 2.5 20h19zM12 10v4m0 3v.01',
  right: 'm9 6 6 6-6 6',
  up: 'm6 15 6-6 6 6',
  close: 'M6 6l12 12M18 6 6 18',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM12 2v3m0 14v3M2 12h3m14 0h3M5 5l2 2m10 10 2 2m0-14-2 2M7 17l-2 2',
  moon: 'M20 14A8.5 8.5 0 0 1 10 4a8.5 8.5 0 1 0 10 10Z',
  plus: 'M12 5v14M5 12h14',
  minus: 'M5 12h14',
  home: 'M4 11l8-7 8 7M6 10v10h12V10',
}

export function icon(name, size = 20) {
  return s('svg', { viewBox: '0 0 24 24', width: size, height: size, 'aria-hidden': 'true', class: 'icon' }, s('path', { d: shapes[name] }))
}

/** A line to paste into a shell, with a button that copies it. */
export function shellLine(line, labels) {
  const said = h('span', { class: 'copied', role: 'status' })
  return h('div', { class: 'shell' },
    h('code', { tabindex: '0', 'aria-label': labels.line, role: 'group' }, line),
    h('button', {
      class: 'quiet', type: 'button', 'aria-label': labels.copy, title: labels.copy,
      onclick: async () => {
        await navigator.clipboard?.writeText(line).catch(() => {})
        replace(said, labels.copied)
        setTimeout(() => replace(said), 2000)
      },
    }, icon('copy', 18)), said)
}

/** Calls a function once calls to it pause. */
export function settled(f, ms = 200) {
  let timer
  return (...args) => {
    clearTimeout(timer)
    timer = setTimeout(() => f(...args), ms)
  }
}

/** Text with the parts that match in <mark>. */
export function marked(text, words) {
  const wanted = words.map(fold).filter(w => w.length > 1 || /[^\x00-\x7f]/.test(w))
  if (!wanted.length) return [text]
  const out = []
  let at = 0
  for (const m of text.matchAll(/[\p{L}\p{N}_]+/gu)) {
    const word = fold(m[0])
    const hit = wanted.find(w => word === w || (w.length > 3 && word.startsWith(w.slice(0, Math.max(4, w.length - 2))) && word.length < w.length + 5))
    if (hit) {
      out.push(text.slice(at, m.index), h('mark', {}, m[0]))
      at = m.index + m[0].length
      continue
    }
    const inside = wanted.find(w => /[\u3040-\u9fff\uac00-\ud7af]/.test(w) && word.includes(w))
    if (inside) {
      const from = m.index + word.indexOf(inside)
      out.push(text.slice(at, from), h('mark', {}, text.slice(from, from + inside.length)))
      at = from + inside.length
    }
  }
  out.push(text.slice(at))
  return out
}

/** A word without case and accents, for comparing. */
export function fold(word) {
  return word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}
