// One leaf: its text, and all that is known of it.

import { h, icon } from './dom.js'
import { address } from './app.js'
import { clock, day, number, t } from './words.js'

export function leafView(answer) {
  const leaf = answer.records[0]
  const outdated = answer.notices.filter(n => n.leaf_id === leaf.leaf_id)
  const changed = answer.notices.filter(n => n.leaf_id !== leaf.leaf_id)
  return h('article', { class: 'leaf' },
    h('p', { class: 'kind' }, h('time', { datetime: leaf.timestamp }, day(leaf.timestamp, 'long')), ' · ', leaf.domain),
    h('h2', { dir: 'auto' }, undated(leaf.title, leaf.timestamp) || t('untitled')),
    outdated.map(n => notice(n, 'warn', t('leaf.outdated'), n.new?.source_leaf, t('leaf.newer'))),
    answer.newer.map(l => h('div', { class: 'note warn', role: 'note' }, icon('warn'),
      h('p', {}, h('strong', {}, t('leaf.outdated')), ' ', t('leaf.replaced', { date: day(l.timestamp, 'long') }), ' ', h('a', { href: address('explore', l.leaf_id), dir: 'auto' }, undated(l.title, l.timestamp) || plain(l.content).slice(0, 80) || l.leaf_id)))),
    leaf.retired_at && h('div', { class: 'note warn' }, icon('warn'), h('p', {}, t('leaf.retired', { date: day(leaf.retired_at) }))),
    leaf.context && h('p', { class: 'context', dir: 'auto' }, leaf.context),
    body(leaf, answer),
    answer.cut && h('p', { class: 'hint' }, t('leaf.cut', { n: 256 })),
    changed.map(n => notice(n, 'info', t('leaf.changes'), n.leaf_id, t('leaf.older'))),
    [leaf.replaces ?? []].flat().map(id => h('p', { class: 'note info' }, icon('leaf'), h('span', {}, t('leaf.replaces'), ' ', h('a', { href: address('explore', id) }, id)))),
    answer.facts.length > 0 && [h('h3', {}, t('leaf.facts')), h('ul', { class: 'facts' }, answer.facts.map(fact))],
    h('h3', {}, t('leaf.about')),
    details(leaf))
}

function body(leaf, answer) {
  if (leaf.data_type === 'CODE') {
    return h('pre', { class: 'code', tabindex: '0', role: 'region', 'aria-label': t('leaf.text') }, h('code', {}, (answer.tokens ?? [['', leaf.content]]).map(([sort, text]) => (sort ? h('span', { class: 'c-' + sort }, text) : text))))
  }
  return h('div', { class: 'text', dir: 'auto', lang: /^(en|es|zh)$/.test(leaf.language) ? leaf.language : null }, leaf.content.trimEnd())
}

function notice(n, sort, lead, id, label) {
  return h('div', { class: 'note ' + sort, role: 'note' }, icon(sort === 'warn' ? 'warn' : 'leaf'),
    h('p', {}, h('strong', {}, lead), ' ', h('bdi', {}, n.text), id && [' ', h('a', { href: address('explore', id) }, label)]))
}

function fact(f) {
  return h('li', { class: f.status === 'ACTIVE' ? 'active' : '' },
    h('span', { class: 'what' }, h('bdi', {}, subjectName(f.subject)), ' · ', h('bdi', {}, attributeName(f.attribute))),
    h('strong', { dir: 'auto' }, f.value),
    h('span', { class: 'when' }, f.valid_to ? t('between', { from: day(f.valid_from), to: day(f.valid_to) }) : t('since', { date: day(f.valid_from) })),
    h('span', { class: 'tag' }, t('status.' + f.status)))
}

/** The name of a subject: of the one who asks, in the reader's language. */
export function subjectName(subject) { return subject === 'user' ? t('timeline.user') : subject }

/** The name of an attribute in the reader's language, where it has one. */
export function attributeName(attribute) {
  const name = t('attribute.' + attribute)
  return name.startsWith('attribute.') ? attribute : name
}

function details(leaf) {
  const span = leaf.span ? ` · ${t('leaf.lines', { from: number(leaf.span.start_line), to: number(leaf.span.end_line) })}` : ''
  const rows = [
    ['leaf.source', leaf.source && leaf.source + span],
    ['leaf.saved', leaf.saved_at && `${day(localDay(leaf.saved_at))}, ${clock(leaf.saved_at)}`],
    ['leaf.agent', leaf.agent], ['leaf.project', leaf.project], ['leaf.author', leaf.author],
    ['leaf.type', leaf.data_type && [t('type.' + leaf.data_type), leaf.language].filter(Boolean).join(' · ')],
    ['leaf.tokens', leaf.tokens && number(leaf.tokens)],
    ['leaf.tags', leaf.tags?.join(', ')],
    ['leaf.file', leaf.path], ['leaf.id', leaf.leaf_id],
  ]
  return h('dl', { class: 'details' }, rows.filter(([, value]) => value).map(([name, value]) => h('div', {}, h('dt', {}, t(name)), h('dd', { dir: 'auto' }, value))))
}

/** A title without the date that it starts with, where that is shown beside it. */
export function undated(title = '', timestamp = '') {
  const date = timestamp.slice(0, 10)
  return date && title.startsWith(date) ? title.slice(date.length).replace(/^[:·\s]+/, '') || title : title
}

/** An excerpt without the mark of a heading that is a date. */
export function plain(excerpt) { return excerpt.replace(/^#+ *(\d{4}-\d\d-\d\d)?[:. ]*/, '') }

/** The calendar day of a moment, where the reader is. */
export function localDay(moment) {
  const d = new Date(moment)
  if (isNaN(d)) return moment
  return `${d.getFullYear()}-${String(d.getMonth() + 1).padStart(2, '0')}-${String(d.getDate()).padStart(2, '0')}`
}
