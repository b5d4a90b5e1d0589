// Activity: what was saved lately and by whom, live, and how the memory grew.

import { h, replace, s, settled, shellLine } from './dom.js'
import { address, announce, ask, shared, whenSaved } from './app.js'
import { clock, day, number, t } from './words.js'
import { localDay, undated } from './leaf.js'
import { labels } from './explore.js'

let page, known, k, agent

export async function show(element) {
  page = element
  known = null
  k = 30
  agent = ''
  if (!shared.state.exists) {
    replace(page, h('div', { class: 'empty' }, h('h1', {}, t('empty.title')), h('p', {}, t('empty.text')), h('a', { class: 'button', href: '#/setup' }, t('empty.setup'))))
    return
  }
  await load()
  return whenSaved(settled(() => load().catch(() => {}), 150))
}

async function load() {
  const [recent, growth] = await Promise.all([ask('activity', { k }), ask('growth')])
  const leaves = recent.records.filter(r => r.kind === 'leaf')
  const fresh = known ? leaves.filter(l => !known.has(l.leaf_id + l.saved_at)) : []
  known = new Set(leaves.map(l => l.leaf_id + l.saved_at))
  const active = document.activeElement?.dataset?.agent
  draw(leaves, growth.records[0]?.totals ?? {}, new Set(fresh), recent.shell)
  if (active !== undefined) page.querySelector(`[data-agent="${CSS.escape(active)}"]`)?.focus()
  if (fresh.length) announce(t('activity.saved', { n: fresh.length }))
}

function draw(leaves, days, fresh, shell) {
  const agents = new Map()
  for (const l of leaves) agents.set(l.agent ?? '', (agents.get(l.agent ?? '') ?? 0) + 1)
  if (!agents.has(agent)) agent = ''
  const shown = agent ? leaves.filter(l => l.agent === agent) : leaves
  const groups = new Map()
  for (const l of shown) {
    const date = localDay(l.saved_at)
    if (!groups.has(date)) groups.set(date, [])
    groups.get(date).push(l)
  }
  const choice = (name, label, n) => h('button', { type: 'button', class: 'chip', 'data-agent': name, 'aria-pressed': String(agent === name), onclick: () => { agent = name; draw(leaves, days, fresh, shell); page.querySelector(`[data-agent="${CSS.escape(name)}"]`)?.focus() } }, h('bdi', {}, label), n !== undefined && h('small', {}, number(n)))
  replace(page,
    h('header', { class: 'pagehead' }, h('h1', {}, t('nav.activity')), h('p', {}, h('span', { class: 'live' }), t('activity.about'))),
    leaves.length === 0 ? h('div', { class: 'blank' }, h('p', {}, t('activity.none'))) : [
      h('section', { class: 'growth' }, h('h2', {}, t('activity.growth')), chart(days)),
      h('section', {}, h('h2', {}, t('activity.lately')),
        agents.size > 1 && h('div', { class: 'agents', role: 'group', 'aria-label': t('activity.agents') }, choice('', t('activity.all')), [...agents].filter(([a]) => a).map(([a, n]) => choice(a, a, n))),
        [...groups].map(([date, list]) => h('section', { class: 'day' }, h('h3', {}, day(date, 'full')), h('ol', { class: 'feed' }, list.map(l => row(l, fresh.has(l)))))),
        leaves.length >= k && k < 500 && h('button', { class: 'quiet wide', type: 'button', onclick: () => { k = Math.min(500, k + 100); load() } }, t('activity.more'))),
      h('section', {}, h('h2', { class: 'unseen' }, t('shell')), shellLine(shell, labels()))])
}

function row(l, fresh) {
  return h('li', { class: fresh ? 'fresh' : '' },
    h('time', { datetime: l.saved_at }, clock(l.saved_at)),
    h('div', {}, h('a', { href: address('explore', l.leaf_id), dir: 'auto' }, undated(l.title, l.timestamp) || t('untitled')),
      h('p', { class: 'meta' }, l.domain, l.timestamp && ' · ' + t('activity.of', { date: day(l.timestamp) }), l.project && [' · ', h('bdi', {}, l.project)])),
    l.agent ? h('span', { class: 'tag' }, h('bdi', {}, l.agent)) : h('span', {}))
}

/** The number of memories over time, drawn; and said, for who cannot see it. */
function chart(days) {
  const dates = Object.keys(days).filter(d => /^\d{4}-\d\d-\d\d$/.test(d)).sort()
  const total = dates.reduce((sum, d) => sum + days[d], 0)
  const at = d => Date.parse(d) / 86400000
  const today = Math.max(at(localDay(new Date().toISOString())), at(dates.at(-1)))
  const first = Math.min(at(dates[0]), today - 13) - 1
  const width = 720
  const height = 180
  const x = n => (width * (n - first) / (today - first)).toFixed(1)
  const y = n => (height - 8 - (height - 28) * n / total).toFixed(1)
  let sum = 0
  let line = `M${x(first)} ${y(0)}`
  for (const d of dates) {
    line += `L${x(at(d) - 0.999)} ${y(sum)}`
    sum += days[d]
    line += `L${x(at(d))} ${y(sum)}`
  }
  line += `L${x(today)} ${y(sum)}`
  const most = Math.max(...dates.map(d => days[d]))
  const label = t('activity.chart', { memories: t('memories', { n: total }), from: day(dates[0]), to: day(dates.at(-1)) })
  return h('figure', { class: 'chart' },
    s('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label, preserveAspectRatio: 'none' },
      [0.25, 0.5, 0.75, 1].map(f => s('line', { class: 'grid', x1: 0, x2: width, y1: y(total * f), y2: y(total * f) })),
      s('path', { class: 'area', d: line + `V${height - 8}H${x(first)}Z` }),
      s('path', { class: 'line', d: line }),
      dates.map(d => s('rect', { class: 'stick', x: (+x(at(d)) - 2).toFixed(1), width: 3, y: (height - 4 - 26 * days[d] / most).toFixed(1), height: (26 * days[d] / most).toFixed(1) }))),
    h('figcaption', {}, h('span', {}, day(new Date((first + 1) * 86400000).toISOString())), h('strong', {}, t('memories', { n: total })), h('span', {}, day(new Date(today * 86400000).toISOString()))))
}
