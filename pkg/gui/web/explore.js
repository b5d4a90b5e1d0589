// Explore: the tree from the trunk to the text, the picture of all of it, and
// what one leaf, branch or domain holds.

import { add, h, icon, replace, settled, fold, shellLine } from './dom.js'
import { ask, address, announce, go, shared, trouble, whenSaved } from './app.js'
import { day, number, t } from './words.js'
import { leafView, plain, undated } from './leaf.js'
import { picture } from './picture.js'

const isLeaf = id => id.startsWith('L-')
const isBranch = id => /^N\d+-/.test(id)
const shownAtFirst = 100

let tree, sight, chart, page

export async function show(element, to) {
  page = element
  if (!shared.state.exists) {
    replace(page, emptyState())
    return
  }
  const filter = h('input', { type: 'search', id: 'domain-filter', placeholder: t('explore.filter'), 'aria-label': t('explore.filter'), autocomplete: 'off', oninput: settled(() => tree.filter(filter.value), 120) })
  tree = new Tree()
  sight = h('section', { class: 'sight', 'aria-label': t('explore.detail') })
  const branches = h('aside', { class: 'branches', 'aria-label': t('explore.tree') },
    h('div', { class: 'head' }, h('h1', {}, t('nav.explore')), filter),
    tree.element)
  // On a narrow screen the picture comes first, for the eye and for the keyboard.
  const narrow = matchMedia('(max-width: 900px)')
  const arrange = () => replace(page, narrow.matches ? [sight, branches] : [branches, sight])
  narrow.addEventListener('change', arrange)
  arrange()
  chart = null
  if (to.id) {
    await tree.load()
    await move(to)
  } else {
    await Promise.all([tree.load(), move(to)])
  }
  const stop = whenSaved(settled(async () => {
    await tree.load()
    if (chart) await chart.load()
  }, 500))
  return () => { stop(); narrow.removeEventListener('change', arrange); chart?.close(); chart = null }
}

/** Shows what the address names. */
export async function move(to) {
  page.classList.toggle('has-detail', to.id !== '')
  if (!to.id) return overview()
  try {
    if (isLeaf(to.id)) await leafDetail(to.id)
    else if (isBranch(to.id)) await branchDetail(to.id)
    else await domainDetail(to.id)
    sight.scrollTop = 0
  } catch (error) {
    replace(sight, trail([]), trouble(error))
  }
}

function emptyState() {
  return h('div', { class: 'empty' }, h('img', { src: '/web/icon.svg', alt: '', width: '64', height: '64' }),
    h('h1', {}, t('empty.title')), h('p', {}, t('empty.text')),
    h('a', { class: 'button', href: '#/setup' }, t('empty.setup')))
}

async function overview() {
  const home = h('div', { class: 'overview' })
  replace(sight, home)
  chart ??= picture(id => go('explore', id))
  add(home, chart.element)
  await chart.load()
  tree.select('')
}

function trail(path) {
  return h('nav', { class: 'trail', 'aria-label': t('explore.path') },
    h('a', { href: '#/explore', class: 'home' }, icon('home', 18), h('span', {}, t('explore.all'))),
    path.map(([id, title]) => [h('span', { class: 'sep', 'aria-hidden': 'true' }, '/'), h('a', { href: address('explore', id) }, title)]))
}

async function leafDetail(id) {
  const answer = await ask('leaf', { id })
  const leaf = answer.records[0]
  const path = [[leaf.domain, leaf.domain], ...answer.path.map(b => [b.node_id, b.title])]
  replace(sight, trail(path), leafView(answer), h('footer', { class: 'shellfoot' }, shellLine(answer.shell, labels())))
  announce(leaf.title || leaf.domain)
  await tree.reveal([leaf.domain, ...answer.path.map(b => b.node_id), id])
}

async function branchDetail(id) {
  const [{ records: [branch], shell }, { records: path }] = await Promise.all([ask('branch', { id }), ask('path', { id })])
  const above = path.filter(b => b.node_id !== id)
  replace(sight,
    trail([[branch.domain, branch.domain], ...above.map(b => [b.node_id, b.title])]),
    h('article', { class: 'node' },
      h('p', { class: 'kind' }, t('explore.branch', { n: branch.layer })),
      h('h2', { dir: 'auto' }, branch.title),
      h('p', { class: 'summary', dir: 'auto' }, branch.summary),
      keywords(branch.keywords),
      h('h3', {}, t('explore.holds', { n: branch.children.length })),
      h('ul', { class: 'children' }, branch.children.map(childCard))),
    h('footer', { class: 'shellfoot' }, shellLine(shell, labels())))
  announce(branch.title)
  await tree.reveal([branch.domain, ...above.map(b => b.node_id), id])
}

async function domainDetail(domain) {
  const row = tree.domains.find(d => d.domain === domain)
  if (!row) throw new Error(t('explore.nodomain', { name: domain }))
  const { records, shell } = await ask('domain', { domain })
  const loose = records.filter(r => r.kind === 'leaf')
  const branches = records.filter(r => r.kind === 'branch')
  replace(sight, trail([[domain, domain]]),
    h('article', { class: 'node' },
      h('p', { class: 'kind' }, t('explore.domain')),
      h('h2', {}, domain),
      h('p', { class: 'count' }, t('memories', { n: row.leaves }), row.pending ? ' · ' + t('explore.pending', { n: row.pending }) : ''),
      h('p', { class: 'summary', dir: 'auto' }, row.summary),
      keywords(row.keywords),
      branches.length > 0 && [h('h3', {}, t('explore.branches')), h('ul', { class: 'children' }, branches.map(b => childCard({ ...b, excerpt: b.summary })))],
      loose.length > 0 && [h('h3', {}, t('explore.loose')), h('p', { class: 'hint' }, t('explore.loosehint')), h('ul', { class: 'children' }, loose.map(l => childCard({ ...l, node_id: l.leaf_id })))]),
    h('footer', { class: 'shellfoot' }, shellLine(shell, labels())))
  announce(domain)
  await tree.reveal([domain])
}

function keywords(list) {
  return list?.length > 0 && h('ul', { class: 'chips', 'aria-label': t('explore.keywords') }, list.map(k => h('li', { dir: 'auto' }, k)))
}

function childCard(child) {
  return h('li', {}, h('a', { href: address('explore', child.node_id) },
    child.timestamp && h('time', {}, day(child.timestamp)),
    h('strong', { dir: 'auto' }, undated(child.title, child.timestamp) || t('untitled')),
    child.excerpt && h('span', { dir: 'auto' }, plain(child.excerpt))))
}

export function labels() {
  return { line: t('shell'), copy: t('copy'), copied: t('copied') }
}

// The tree, loaded level by level.

class Tree {
  constructor() {
    this.list = h('ul', { role: 'tree', 'aria-label': t('explore.tree'), onkeydown: e => this.key(e) })
    this.more = h('div', {})
    this.element = h('div', { class: 'tree' }, this.list, this.more)
    this.domains = []
    this.limit = shownAtFirst
    this.wanted = ''
    this.items = new Map()
  }

  async load() {
    const { records } = await ask('domains')
    const open = [...this.items.values()].filter(i => i.group && !i.group.hidden).map(i => i.id)
    const focused = this.list.contains(document.activeElement) && document.activeElement.dataset.id
    this.domains = records.sort((a, b) => b.leaves - a.leaves || a.domain.localeCompare(b.domain))
    this.draw()
    for (const id of open) {
      const item = this.items.get(id)
      if (item) await this.open(item)
    }
    const item = this.items.get(focused)
    if (item) this.focus(item)
  }

  filter(text) {
    this.wanted = fold(text.trim())
    this.limit = shownAtFirst
    this.draw()
    announce(t('explore.found', { n: this.found.length }))
  }

  draw() {
    this.found = this.domains.filter(d => !this.wanted || fold(d.domain + ' ' + (d.keywords ?? []).join(' ')).includes(this.wanted))
    this.items.clear()
    replace(this.list, this.found.slice(0, this.limit).map(d => this.item({ id: d.domain, title: d.domain, count: d.leaves, level: 1, opens: true })))
    replace(this.more,
      this.found.length > this.limit && h('button', { class: 'quiet wide', type: 'button', onclick: () => { this.limit += 500; this.draw() } }, t('more', { n: this.found.length - this.limit })),
      this.found.length === 0 && h('p', { class: 'hint' }, this.domains.length ? t('explore.nomatch') : t('explore.nothing')))
    const first = this.list.querySelector('[role=treeitem]')
    if (first) first.tabIndex = 0
    this.select(this.selected ?? '')
  }

  item({ id, title, count, date, level, opens }) {
    const item = { id, level, opens }
    item.element = h('li', {
      role: 'treeitem', tabindex: '-1', 'aria-level': String(level), 'aria-expanded': opens ? 'false' : null, 'aria-selected': 'false', class: opens ? '' : 'leafrow', 'data-id': id,
    }, item.row = h('div', { class: 'row', style: { '--level': level }, onclick: e => this.click(item, e) },
      opens ? h('span', { class: 'twist' }, icon('right', 16)) : h('span', { class: 'dot' }),
      h('span', { class: 'name', dir: 'auto' }, title || t('untitled')),
      count !== undefined && h('span', { class: 'number' }, number(count)),
      date && h('time', {}, day(date, 'short'))))
    this.items.set(id, item)
    return item.element
  }

  click(item, event) {
    this.focus(item)
    if (!item.opens) return go('explore', item.id)
    if (event.target.closest('.twist')) return this.toggle(item)
    this.open(item)
    go('explore', item.id)
  }

  toggle(item) {
    if (item.element.getAttribute('aria-expanded') === 'true') this.shut(item)
    else this.open(item)
  }

  shut(item) {
    item.element.setAttribute('aria-expanded', 'false')
    if (item.group) item.group.hidden = true
  }

  async open(item) {
    if (!item.opens) return
    item.element.setAttribute('aria-expanded', 'true')
    if (item.group) {
      item.group.hidden = false
      return
    }
    item.group = h('ul', { role: 'group' }, h('li', { role: 'none', class: 'hint' }, '…'))
    item.element.append(item.group)
    try {
      const nodes = await this.below(item)
      replace(item.group, nodes.length ? nodes.map(n => this.item({ ...n, level: item.level + 1 })) : h('li', { role: 'none', class: 'hint' }, t('explore.nothing')))
    } catch (error) {
      replace(item.group, h('li', { role: 'none' }, trouble(error)))
      item.group = null
    }
  }

  async below(item) {
    if (isBranch(item.id)) {
      const { records: [branch] } = await ask('branch', { id: item.id })
      return branch.children.map(c => ({ id: c.node_id, title: undated(c.title, c.timestamp), date: isLeaf(c.node_id) ? c.timestamp : undefined, opens: isBranch(c.node_id) }))
    }
    const { records } = await ask('domain', { domain: item.id })
    return records.map(r => r.kind === 'leaf'
      ? { id: r.leaf_id, title: undated(r.title, r.timestamp), date: r.timestamp, opens: false }
      : { id: r.node_id, title: r.title, opens: true })
  }

  /** Opens what stands over the last of some nodes, and selects it. */
  async reveal(ids) {
    const target = ids.at(-1)
    for (const id of ids.slice(0, -1)) {
      const item = this.items.get(id)
      if (item) await this.open(item)
    }
    this.select(target)
    const row = this.items.get(target)?.row
    row?.scrollIntoView({ block: 'nearest' })
  }

  select(id) {
    this.selected = id
    for (const item of this.items.values()) item.element.setAttribute('aria-selected', String(item.id === id))
    const item = this.items.get(id)
    if (item) this.rove(item.element)
  }

  rove(element) {
    for (const e of this.list.querySelectorAll('[role=treeitem][tabindex="0"]')) e.tabIndex = -1
    element.tabIndex = 0
  }

  focus(item) {
    this.rove(item.element)
    item.element.focus({ preventScroll: true })
  }

  key(event) {
    const element = event.target.closest('[role=treeitem]')
    if (!element || event.ctrlKey || event.metaKey || event.altKey) return
    const item = this.items.get(element.dataset.id)
    const visible = [...this.list.querySelectorAll('[role=treeitem]')].filter(e => !e.parentElement.closest('[hidden]'))
    const at = visible.indexOf(element)
    const to = i => { const e = visible[Math.max(0, Math.min(visible.length - 1, i))]; this.focus(this.items.get(e.dataset.id)); e.querySelector('.row').scrollIntoView({ block: 'nearest' }) }
    const expanded = element.getAttribute('aria-expanded')
    switch (event.key) {
      case 'ArrowDown': to(at + 1); break
      case 'ArrowUp': to(at - 1); break
      case 'Home': to(0); break
      case 'End': to(visible.length - 1); break
      case 'ArrowRight':
        if (expanded === 'false') this.open(item)
        else if (expanded === 'true') to(at + 1)
        break
      case 'ArrowLeft': {
        if (expanded === 'true') this.shut(item)
        else {
          const parent = element.parentElement.closest('[role=treeitem]')
          if (parent) this.focus(this.items.get(parent.dataset.id))
        }
        break
      }
      case 'Enter': case ' ':
        if (item.opens) this.open(item)
        go('explore', item.id)
        break
      default: return
    }
    event.preventDefault()
    event.stopPropagation()
  }
}
