// Diagnose: a search as an agent sees it, and why it answered so.

import { h, icon, marked, replace, shellLine } from './dom.js'
import { ask, address, announce, go, shared, trouble } from './app.js'
import { bytes, day, number, percent, t } from './words.js'
import { labels } from './explore.js'
import { plain, undated } from './leaf.js'

let page, form, out

export function show(element, to) {
  page = element
  if (!shared.state.exists) {
    replace(page, h('div', { class: 'empty' }, h('h1', {}, t('empty.title')), h('p', {}, t('empty.text')), h('a', { class: 'button', href: '#/setup' }, t('empty.setup'))))
    return
  }
  const field = (name, label, attributes = {}) => h('label', {}, h('span', {}, t(label)), h('input', { name, autocomplete: 'off', ...attributes }))
  form = h('form', { class: 'ask', role: 'search', onsubmit: e => { e.preventDefault(); submit() } },
    h('div', { class: 'question' },
      h('input', { name: 'q', type: 'search', 'aria-label': t('diagnose.query'), placeholder: t('diagnose.placeholder'), autocomplete: 'off', enterkeyhint: 'search' }),
      h('button', { class: 'button', type: 'submit' }, t('diagnose.search'))),
    h('details', { class: 'filters' }, h('summary', {}, t('diagnose.filters')),
      h('div', { class: 'fields' },
        field('domain', 'filter.domain', { placeholder: 'software' }), field('agent', 'filter.agent'), field('tag', 'filter.tag'),
        field('since', 'filter.since', { type: 'date' }), field('until', 'filter.until', { type: 'date' }), field('at', 'filter.at', { type: 'date' }),
        field('k', 'filter.k', { type: 'number', min: '1', max: '50' }),
        h('label', { class: 'tick' }, h('input', { type: 'checkbox', name: 'history', value: '1' }), h('span', {}, t('filter.history'))))))
  out = h('div', { class: 'outcome' })
  replace(page, h('header', { class: 'pagehead' }, h('h1', {}, t('nav.diagnose')), h('p', {}, t('diagnose.about'))), form, out)
  return move(to)
}

function submit(clues = []) {
  const query = Object.fromEntries([...new FormData(form)].filter(([, v]) => v !== ''))
  go('diagnose', '', { ...query, clue: clues })
}

export async function move(to) {
  for (const input of form.elements) {
    if (input.name && input.type !== 'checkbox') input.value = to.with.get(input.name) ?? ''
    else if (input.type === 'checkbox') input.checked = to.with.has(input.name)
  }
  if ([...to.with.keys()].some(k => k !== 'q' && k !== 'clue')) form.querySelector('details').open = true
  if (!to.with.get('q')) {
    replace(out, suggestions())
    form.elements.q.focus({ preventScroll: true })
    return
  }
  out.setAttribute('aria-busy', 'true')
  try {
    const parameters = {}
    for (const key of new Set(to.with.keys())) parameters[key] = to.with.getAll(key)
    const answer = await ask('search', parameters)
    replace(out, outcome(answer, to.with.getAll('clue')))
  } catch (error) {
    replace(out, trouble(error))
  }
  out.removeAttribute('aria-busy')
}

function suggestions() {
  return h('div', { class: 'blank' }, h('p', {}, t('diagnose.blank')),
    h('ul', { class: 'steps' }, ['diagnose.step1', 'diagnose.step2', 'diagnose.step3'].map(k => h('li', {}, t(k)))))
}

function outcome(answer, clues) {
  const head = answer.records.find(r => r.kind === 'search')
  const clue = answer.records.find(r => r.kind === 'clue')
  const results = answer.records.filter(r => r.kind === 'result')
  const words = results[0]?.matches?.map(m => m.word) ?? []
  announce(verdictText(head, results))
  return [
    verdict(head, clue, results),
    results.length > 0 && measures(head),
    clue && question(clue, clues, head),
    results.length === 0 && help(head),
    results.length > 0 && wordTable(results),
    results.length > 0 && h('section', {}, h('h2', {}, t('diagnose.results')), h('ol', { class: 'results' }, results.map(r => card(r, words, results[0].score)))),
    h('section', {}, h('h2', {}, t('diagnose.shell')), shellLine(answer.shell, labels())),
  ]
}

function verdictText(head, results) {
  if (!results.length) return t('verdict.nothing', { n: head.leaves_total })
  return head.ambiguous ? t('verdict.ambiguous') : t('verdict.found', { n: results.length })
}

function verdict(head, clue, results) {
  const sort = !results.length ? 'none' : head.ambiguous ? 'warn' : 'good'
  return h('div', { class: 'verdict ' + sort },
    icon(sort === 'good' ? 'check' : sort === 'warn' ? 'warn' : 'close', 26),
    h('div', {}, h('h2', {}, verdictText(head, results)),
      h('p', {}, clue ? h('bdi', {}, reason(clue.reason)) : results.length ? t('verdict.exact') : t('verdict.help'))))
}

/** Why the search asks back, in the reader's language where it is a known one. */
function reason(text) {
  const fits = /^(\d+) memories fit equally well$/.exec(text)
  return fits ? t('verdict.fit', { n: +fits[1] }) : text
}

function measures(head) {
  const part = (share, weight, name, label) => h('div', { class: 'part ' + name },
    h('span', { class: 'label' }, label, ' ', h('small', {}, '× ', number(weight, 1))),
    h('div', { class: 'bar' }, h('i', { style: { width: (share * 100).toFixed(1) + '%' } })),
    h('strong', {}, percent(share)))
  const tile = (value, label, more) => h('div', { class: 'tile' }, h('strong', {}, value), h('span', {}, label), more && h('small', {}, more))
  return h('section', { class: 'measures', 'aria-label': t('diagnose.measures') },
    h('div', { class: 'confidence' },
      h('div', { class: 'total' }, h('span', {}, t('diagnose.confidence')), h('strong', {}, percent(head.confidence))),
      h('div', { class: 'stack', 'aria-hidden': 'true' }, h('i', { class: 'coverage', style: { width: (head.coverage * 60).toFixed(1) + '%' } }), h('i', { class: 'margin', style: { width: (head.margin * 40).toFixed(1) + '%' } })),
      part(head.coverage, 0.6, 'coverage', t('diagnose.coverage')),
      part(head.margin, 0.4, 'margin', t('diagnose.margin')),
      h('p', { class: 'hint' }, t('diagnose.confidencehint'))),
    h('div', { class: 'tiles' },
      tile(number(head.files_opened), t('diagnose.files'), t('diagnose.of', { n: head.leaves_total })),
      tile(bytes(head.bytes_read), t('diagnose.read')),
      tile(`${number(head.elapsed_ms, 1)} ms`, t('diagnose.time')),
      tile(number(head.depth), t('diagnose.depth'))))
}

function question(clue, clues, head) {
  const input = h('input', { name: 'clue', 'aria-label': t('diagnose.clue'), placeholder: t('diagnose.clue'), autocomplete: 'off' })
  return h('section', { class: 'clue' }, h('h2', {}, t('diagnose.which')),
    h('ul', { class: 'options' }, clue.options.map(o => h('li', {}, h('a', { href: address('explore', o.leaf_id) },
      h('span', { class: 'meta' }, h('time', {}, day(o.timestamp)), ' · ', o.domain), h('span', { dir: 'auto' }, plain(o.excerpt)))))),
    clues.length > 0 && h('p', { class: 'given' }, t('diagnose.given'), ' ', clues.map((c, i) => h('button', { type: 'button', class: 'chip', 'aria-label': t('diagnose.drop', { word: c }), onclick: () => submit(clues.filter((_, j) => j !== i)) }, h('bdi', {}, c), icon('close', 14)))),
    h('form', { class: 'question small', onsubmit: e => { e.preventDefault(); if (input.value.trim()) submit([...clues, input.value.trim()]) } }, input, h('button', { class: 'button', type: 'submit' }, t('diagnose.again'))))
}

function help(head) {
  const close = head.close ?? {}
  return h('section', { class: 'help' },
    head.unknown && h('p', { dir: 'auto' }, head.unknown),
    (head.missing ?? []).length > 0 && [h('h2', {}, t('diagnose.missing')), h('ul', { class: 'missing' }, head.missing.map(word => h('li', {},
      h('strong', { dir: 'auto' }, word),
      close[word]?.length > 0 && h('span', {}, t('diagnose.close'), ' ', close[word].map(c => h('button', { type: 'button', class: 'chip', onclick: () => { form.elements.q.value = form.elements.q.value.replace(word, c); submit() } }, h('bdi', {}, c)))))))],
    (head.domains ?? []).length > 0 && [h('h2', {}, t('diagnose.partly')), h('ul', { class: 'chips' }, head.domains.map(d => h('li', {}, h('a', { href: address('explore', d) }, d))))])
}

function wordTable(results) {
  const words = results[0].matches ?? []
  if (!words.length) return null
  return h('section', {}, h('h2', {}, t('diagnose.words')),
    h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': t('diagnose.words') }, h('table', { class: 'words' },
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, t('diagnose.result')), words.map(w => h('th', { scope: 'col' }, h('bdi', {}, w.word), h('small', {}, percent(w.weight)))))),
      h('tbody', {}, results.map(r => h('tr', {}, h('th', { scope: 'row' }, number(r.rank), '. ', h('bdi', {}, undated(r.title, r.timestamp) || r.domain)),
        (r.matches ?? []).map(m => h('td', {}, m.in.length ? m.in.map(p => h('span', { class: 'where in-' + p }, t('in.' + p))) : h('span', { class: 'where no' }, t('in.none'))))))))))
}

function card(r, words, best) {
  const steps = h('div', { class: 'steps' }, pathSteps(r.path))
  const path = h('details', { class: 'path', ontoggle: () => path.open && titles(r, steps) }, h('summary', {}, t('diagnose.path', { n: r.path.length })), steps)
  return h('li', { class: r.status ?? '' },
    h('div', { class: 'head' },
      h('h3', {}, h('a', { href: address('explore', r.leaf_id), dir: 'auto' }, undated(r.title, r.timestamp) || r.domain)),
      h('p', { class: 'meta' }, h('time', {}, day(r.timestamp)), ' · ', r.domain, r.status && h('span', { class: 'tag warn' }, t('status.' + r.status)))),
    (r.notices ?? []).map(n => h('div', { class: 'note warn' }, icon('warn', 18), h('p', {}, h('strong', {}, t('leaf.outdated')), ' ', h('bdi', {}, n)))),
    h('p', { class: 'excerpt', dir: 'auto' }, marked(plain(r.excerpt ?? ''), words)),
    h('div', { class: 'scores' },
      h('span', { class: 'score' }, t('diagnose.score'), ' ', h('strong', {}, number(r.score, 2)), h('span', { class: 'bar', 'aria-hidden': 'true' }, h('i', { style: { width: Math.max(2, Math.min(100, 100 * r.score / best)).toFixed(1) + '%' } }))),
      h('span', {}, t('diagnose.coverage'), ' ', h('strong', {}, percent(r.coverage)))),
    path)
}

function pathSteps(path, names = {}) {
  return path.map((id, i) => [i > 0 && icon('right', 14), i === 0 ? h('span', {}, t('diagnose.trunk')) : h('a', { href: address('explore', id) }, names[id] ?? id)])
}

async function titles(r, steps) {
  const { records } = await ask('path', { id: r.leaf_id }).catch(() => ({ records: [] }))
  replace(steps, pathSteps(r.path, Object.fromEntries(records.map(b => [b.node_id, b.title]))))
}
