// Timeline: what was true when, drawn per subject and attribute, with a date
// to slide over it.

import { fold, h, icon, replace, settled, shellLine } from './dom.js'
import { address, announce, ask, shared, whenSaved } from './app.js'
import { day, number, t } from './words.js'
import { attributeName, subjectName } from './leaf.js'
import { labels } from './explore.js'

const ms = 86400000
const toDay = date => Math.round(Date.parse(date.slice(0, 10)) / ms)
const toDate = n => new Date(n * ms).toISOString().slice(0, 10)
const folded = 8 // values of an attribute that are listed at first
const subjectsAtFirst = 30

let page, list, filter, slider, picked, said, lanes, from, to, wanted, limit

export async function show(element) {
  page = element
  wanted = ''
  limit = subjectsAtFirst
  if (!shared.state.exists) {
    replace(page, h('div', { class: 'empty' }, h('h1', {}, t('empty.title')), h('p', {}, t('empty.text')), h('a', { class: 'button', href: '#/setup' }, t('empty.setup'))))
    return
  }
  await load()
  return whenSaved(settled(() => load().catch(() => {}), 500))
}

async function load() {
  const answer = await ask('timeline')
  const facts = answer.records.filter(r => r.kind === 'fact' && r.valid_from)
  const notices = answer.records.filter(r => r.kind === 'notice')
  lanes = group(facts, notices)
  const today = toDay(new Date().toISOString())
  const starts = facts.map(f => toDay(f.valid_from))
  from = Math.min(today - 30, ...starts)
  to = Math.max(today, ...starts)
  const margin = Math.max(5, Math.round((to - from) * 0.02))
  from -= margin
  to += margin
  const kept = picked && +slider.value >= from && +slider.value <= to ? +slider.value : today
  const focused = [filter, picked, slider].indexOf(document.activeElement)
  if (focused === 0) wanted = filter.value
  draw(facts, answer.shell, kept)
  ;[filter, picked, slider][focused]?.focus()
}

/** Lanes by subject: one for each attribute, with its values in order. */
function group(facts, notices) {
  const subjects = new Map()
  for (const f of facts) {
    if (!subjects.has(f.subject)) subjects.set(f.subject, new Map())
    const attributes = subjects.get(f.subject)
    if (!attributes.has(f.attribute)) attributes.set(f.attribute, [])
    attributes.get(f.attribute).push({ ...f, start: toDay(f.valid_from), end: f.valid_to ? toDay(f.valid_to) : Infinity })
  }
  const changes = new Map(notices.filter(n => n.old).map(n => [n.old.fact_id, n]))
  return [...subjects].map(([subject, attributes]) => ({
    subject,
    attributes: [...attributes].map(([attribute, values]) => {
      values.sort((a, b) => a.start - b.start)
      for (const v of values) {
        v.change = changes.get(v.fact_id)
        // Two values that hold from the same day on: nobody knows which.
        v.clash = values.some(o => o !== v && o.start === v.start && o.value !== v.value)
      }
      return { attribute, values }
    }).sort((a, b) => a.attribute.localeCompare(b.attribute)),
  })).sort((a, b) => (b.subject === 'user') - (a.subject === 'user') || a.subject.localeCompare(b.subject))
}

function draw(facts, shell, at) {
  filter = h('input', { type: 'search', 'aria-label': t('timeline.filter'), placeholder: t('timeline.filter'), autocomplete: 'off', value: wanted, oninput: settled(() => { wanted = filter.value; limit = subjectsAtFirst; subjects() }, 120) })
  list = h('div', { class: 'subjects' })
  said = h('p', { class: 'said', 'aria-live': 'polite' })
  picked = h('input', { type: 'date', 'aria-label': t('timeline.date'), value: toDate(at), min: toDate(from), max: toDate(to), onchange: () => picked.value && move(toDay(picked.value)) })
  slider = h('input', { type: 'range', min: String(from), max: String(to), value: String(at), 'aria-label': t('timeline.slider'), oninput: () => move(+slider.value) })
  replace(page,
    h('header', { class: 'pagehead' }, h('h1', {}, t('nav.timeline')), h('p', {}, t('timeline.about'))),
    facts.length === 0 ? h('div', { class: 'blank' }, h('p', {}, t('timeline.none')), h('p', {}, h('code', {}, 'ihmt-facts add user location Valencia'))) : [
      h('div', { class: 'instant' },
        h('div', { class: 'when' }, picked, h('button', { type: 'button', class: 'button plain', onclick: () => move(toDay(new Date().toISOString())) }, t('timeline.today'))),
        h('div', { class: 'slide' }, slider, axis()), said),
      filter, list,
      h('section', {}, h('h2', { class: 'unseen' }, t('shell')), shellLine(shell, labels()))])
  if (facts.length) {
    subjects()
    move(at)
  }
}

function share(n) { return (100 * (Math.max(from, Math.min(to, n)) - from) / (to - from)).toFixed(3) + '%' }

/** The years, or months where there are few years, under the slider. */
function axis() {
  const marks = []
  const years = (to - from) / 365
  const step = years > 40 ? 10 : years > 16 ? 5 : years > 8 ? 2 : 1
  for (let y = new Date(from * ms).getUTCFullYear(); y <= new Date(to * ms).getUTCFullYear(); y++) {
    for (const month of years < 1.6 ? [0, 3, 6, 9] : [0]) {
      const n = Math.round(Date.UTC(y, month, 1) / ms)
      if (n < from || n > to || y % step) continue
      const label = month ? new Intl.DateTimeFormat(document.documentElement.lang, { month: 'short', timeZone: 'UTC' }).format(n * ms) : String(y)
      marks.push(h('span', { style: { left: share(n) } }, label))
    }
  }
  return h('div', { class: 'axis', 'aria-hidden': 'true' }, marks)
}

function matches(text) { return fold(text).includes(fold(wanted.trim())) }

function subjects() {
  const found = []
  for (const s of lanes) {
    const attributes = !wanted.trim() || matches(s.subject) || (s.subject === 'user' && matches(t('timeline.user'))) ? s.attributes
      : s.attributes.filter(a => matches(a.attribute) || matches(attributeName(a.attribute)) || a.values.some(v => matches(v.value)))
    if (attributes.length) found.push({ ...s, attributes })
  }
  replace(list,
    found.slice(0, limit).map(subject),
    found.length === 0 && h('p', { class: 'hint' }, t('timeline.nomatch')),
    found.length > limit && h('button', { class: 'quiet wide', type: 'button', onclick: () => { limit += 100; subjects() } }, t('more', { n: found.length - limit })))
  if (wanted) announce(t('timeline.found', { n: found.length }))
  light(+slider.value)
}

function subject(s) {
  return h('section', { class: 'subject', 'aria-label': subjectName(s.subject) },
    h('h2', {}, h('bdi', {}, subjectName(s.subject))),
    s.attributes.map(lane))
}

function lane({ attribute, values }) {
  const long = values.length > folded
  const bars = values.map(v => h('a', {
    class: 'value ' + v.status.toLowerCase() + (v.clash ? ' clash' : '') + (v.start === v.end ? ' instantly' : ''),
    href: address('explore', v.source_leaf), 'data-from': String(v.start), 'data-to': String(v.end), tabindex: '-1',
    style: { left: share(v.start), width: `calc(${share(v.end)} - ${share(v.start)})` },
    title: sentence(v),
  }, h('span', { dir: 'auto' }, v.value)))
  const rows = h('ol', { class: 'values' }, (long ? values.slice(-folded) : values).toReversed().map(entry))
  const more = long && h('button', { type: 'button', class: 'quiet more', onclick: () => { replace(rows, values.toReversed().map(entry)); more.remove(); light(+slider.value) } }, t('timeline.earlier', { n: values.length - folded }))
  const box = h('details', { class: 'history', open: false }, h('summary', {}, t('timeline.values', { n: values.length })), rows, more)
  return h('div', { class: 'lane' },
    h('h3', {}, h('bdi', {}, attributeName(attribute)), values.some(v => v.clash) && h('span', { class: 'tag bad' }, t('timeline.clash'))),
    h('div', { class: 'track', 'aria-hidden': 'true' }, bars, values.filter(v => v.change || v.clash).map(v => h('i', { class: 'turn' + (v.clash ? ' clash' : ''), style: { left: share(v.change ? v.end : v.start) }, title: v.change ? v.change.text : t('timeline.clash') })), h('i', { class: 'now' })),
    box)
}

function entry(v) {
  return h('li', { class: v.status.toLowerCase(), 'data-from': String(v.start), 'data-to': String(v.end) },
    h('a', { href: address('explore', v.source_leaf), dir: 'auto' }, v.value),
    h('span', { class: 'span' }, v.valid_to ? t('between', { from: day(v.valid_from), to: day(v.valid_to) }) : t('since', { date: day(v.valid_from) })),
    h('span', { class: 'tag' + (v.status === 'ACTIVE' ? ' good' : '') }, t('status.' + v.status)),
    v.clash && h('span', { class: 'tag bad' }, t('timeline.clash')),
    v.change && h('p', { class: 'change' }, icon('warn', 15), h('bdi', {}, v.change.text)))
}

function sentence(v) {
  return `${v.value}: ${v.valid_to ? t('between', { from: day(v.valid_from), to: day(v.valid_to) }) : t('since', { date: day(v.valid_from) })}`
}

/** Moves the date, and with it what is shown as true. */
function move(n) {
  n = Math.max(from, Math.min(to, n))
  slider.value = String(n)
  slider.setAttribute('aria-valuetext', day(toDate(n), 'long'))
  picked.value = toDate(n)
  light(n)
}

function light(n) {
  page.style.setProperty('--at', share(n))
  let true_ = 0
  for (const e of page.querySelectorAll('[data-from]')) {
    // A value holds from its first day to the day before the next one's.
    const holds = +e.dataset.from <= n && (n < +e.dataset.to)
    e.classList.toggle('holds', holds)
    if (holds && e.classList.contains('value')) true_++
  }
  replace(said, t('timeline.said', { date: day(toDate(n), 'long'), n: true_, count: number(true_) }))
}
