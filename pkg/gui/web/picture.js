// The picture of the whole memory: a map by domain and branch, sized by leaves
// and coloured by age, to be zoomed down to single memories. It is drawn from
// what ihmt-nav map prints; titles are asked for where there is room for them.

import { clean, h, icon, replace } from './dom.js'
import { ask, announce } from './app.js'
import { day, number, t } from './words.js'
import { plain, undated } from './leaf.js'

// From the oldest to the newest: night, sea, meadow, sun.
const ramp = [[0.0, 0x34, 0x3f, 0x7c], [0.3, 0x2b, 0x74, 0x92], [0.55, 0x2f, 0xa0, 0x86], [0.8, 0x9d, 0xc7, 0x5f], [1.0, 0xf6, 0xcd, 0x5b]]

export function colourOf(x) {
  let i = 1
  while (i < ramp.length - 1 && ramp[i][0] < x) i++
  const [a, b] = [ramp[i - 1], ramp[i]]
  const f = Math.max(0, Math.min(1, (x - a[0]) / (b[0] - a[0])))
  return [1, 2, 3].map(k => Math.round(a[k] + (b[k] - a[k]) * f))
}

const palette = Array.from({ length: 64 }, (_, i) => `rgb(${colourOf(i / 63).join()})`)

export function picture(open) { return new Picture(open) }

const days = date => (date ? Date.parse(date.slice(0, 10)) / 86400000 : NaN)

class Picture {
  constructor(open) {
    this.open = open
    this.canvas = h('canvas', { 'aria-hidden': 'true' })
    this.stage = h('div', { class: 'stage', role: 'application', tabindex: '0', 'aria-roledescription': t('picture.role'), 'aria-label': t('picture.label'), onkeydown: e => this.key(e) }, this.canvas)
    this.tip = h('div', { class: 'tip', hidden: true })
    this.legend = h('div', { class: 'legend' })
    this.head = h('div', { class: 'picturehead' })
    const button = (name, label, f) => h('button', { type: 'button', class: 'quiet', 'aria-label': t(label), title: t(label), onclick: f }, icon(name))
    this.buttons = h('div', { class: 'zoom' },
      button('plus', 'picture.in', () => this.zoomBy(2)), button('minus', 'picture.out', () => this.zoomBy(0.5)), button('home', 'picture.all', () => this.fit(this.root)))
    this.element = h('div', { class: 'picture' }, this.head, h('div', { class: 'frame' }, this.stage, this.tip), h('div', { class: 'pictureend' }, this.legend, this.buttons))
    this.titles = new Map()
    this.asked = 0
    this.size = new ResizeObserver(() => this.resize())
    this.size.observe(this.stage)
    this.recolour = () => this.draw()
    addEventListener('recolour', this.recolour)
    this.scheme = matchMedia('(prefers-color-scheme: dark)')
    this.scheme.addEventListener('change', this.recolour)
    this.pointer()
  }

  close() {
    this.size.disconnect()
    removeEventListener('recolour', this.recolour)
    this.scheme.removeEventListener('change', this.recolour)
    cancelAnimationFrame(this.frame)
  }

  /** Reads the memory, anew where something was saved; who looks at a part of
   * it stays there. */
  async load() {
    const { records } = await ask('map')
    const { view, focus } = this
    this.root = grow(records)
    this.view = null
    this.focus = this.root
    for (const key of this.titles.keys()) if (key.startsWith('loose ')) this.titles.delete(key) // their order changes
    replace(this.head, h('h2', {}, t('picture.title')),
      h('p', {}, t('picture.about', { memories: t('memories', { n: this.root.leaves }), domains: t('domains', { n: this.root.children.length }) })))
    const gradient = h('span', { class: 'ramp', style: { background: `linear-gradient(90deg, ${palette.filter((_, i) => i % 7 === 0).join()})` } })
    replace(this.legend, h('span', {}, day(this.root.first)), gradient, h('span', {}, day(this.root.last)))
    this.resize()
    if (view && this.view) this.resume(view, focus)
  }

  /** Goes back to a node of the tree as it was before, or where that is gone,
   * to the nearest above it. */
  resume(view, before) {
    let node = this.root
    for (const old of pathTo(before)) {
      arrange(node)
      const same = node.children.find(child => nameIn(child) !== undefined && nameIn(child) === nameIn(old))
      if (!same) {
        if (view.k > 1) this.fit(node)
        return this.choose(node)
      }
      node = same
    }
    this.focus = node
    const moved = i => node.box[i] + node.box[i + 2] / 2 - before.box[i] - before.box[i + 2] / 2
    this.set({ k: view.k, x: view.x + moved(0), y: view.y + moved(1) })
  }

  resize() {
    const { width, height } = this.stage.getBoundingClientRect()
    if (!this.root || width < 2 || height < 2) return
    const ratio = Math.min(2, devicePixelRatio || 1)
    if (this.width !== width || this.height !== height) {
      this.width = width
      this.height = height
      this.canvas.width = width * ratio
      this.canvas.height = height * ratio
      this.ratio = ratio
      this.view = null
    }
    if (!this.view) {
      this.root.box = [0, 0, width, height]
      arrange(this.root)
      this.view = { x: 0, y: 0, k: 1 }
    }
    this.draw()
  }

  // Drawing

  draw() {
    if (!this.view || this.drawing) return
    this.drawing = true
    requestAnimationFrame(() => {
      this.drawing = false
      this.paint()
    })
  }

  paint() {
    const c = this.canvas.getContext('2d')
    const styles = getComputedStyle(this.stage)
    this.ink = { back: styles.getPropertyValue('--sunk').trim(), edge: styles.getPropertyValue('--line').trim(), text: styles.getPropertyValue('--ink').trim(), soft: styles.getPropertyValue('--soft').trim(), raised: styles.getPropertyValue('--raised').trim(), accent: styles.getPropertyValue('--accent').trim() }
    this.font = styles.fontFamily
    c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0)
    c.clearRect(0, 0, this.width, this.height)
    this.wanted = []
    for (const domain of this.root.children) this.node(c, domain, 0)
    if (this.focus !== this.root) this.outline(c, this.focus)
    this.fetchTitles()
  }

  place(box) {
    const { x, y, k } = this.view
    return [(box[0] - x) * k, (box[1] - y) * k, box[2] * k, box[3] * k]
  }

  age(node) {
    const { from, to } = this.root
    const at = (node.from + node.to) / 2
    return to > from && at === at ? (at - from) / (to - from) : 1
  }

  shade(x) { return palette[Math.max(0, Math.min(63, Math.round(x * 63)))] }

  node(c, node, depth) {
    const [x, y, w, hgt] = this.place(node.box)
    if (x > this.width || y > this.height || x + w < 0 || y + hgt < 0) return
    if (w < 1.5 || hgt < 1.5) {
      c.fillStyle = this.shade(this.age(node))
      c.fillRect(x, y, Math.max(w, 0.6), Math.max(hgt, 0.6))
      return
    }
    if (node.leaf) return this.leaf(c, node, x, y, w, hgt)
    if (Math.min(w, hgt) < (node.layer === 1 ? 5 : 4)) {
      this.panel(c, x, y, w, hgt, Math.min(3, w / 8), this.shade(this.age(node)))
      return
    }
    arrange(node)
    const radius = Math.min(10, w * 0.03 + 1, hgt * 0.03 + 1)
    if (depth === 0 || Math.min(w, hgt) > 40) this.panel(c, x, y, w, hgt, radius, depth % 2 ? this.ink.raised : this.ink.back, depth === 0 ? this.ink.edge : '')
    for (const child of node.children) this.node(c, child, depth + 1)
    this.label(c, node, x, y, w, hgt, depth)
  }

  panel(c, x, y, w, hgt, radius, fill, edge) {
    c.beginPath()
    c.roundRect(x, y, w, hgt, Math.max(0, radius))
    c.fillStyle = fill
    c.fill()
    if (edge) {
      c.strokeStyle = edge
      c.lineWidth = 1
      c.stroke()
    }
  }

  leaf(c, node, x, y, w, hgt) {
    const shade = this.age(node)
    if (Math.min(w, hgt) < 6) {
      c.fillStyle = this.shade(shade)
      c.fillRect(x, y, w, hgt)
    } else {
      this.panel(c, x, y, w, hgt, Math.min(6, w * 0.08, hgt * 0.08), this.shade(shade))
    }
    if (w < 58 || hgt < 30) return
    const title = this.title(node)
    const colour = shade > 0.45 ? '#10201a' : '#ffffff'
    if (!title) return
    if (w < 120 || hgt < 110) return this.words(c, title, x + 7, y + 7, w - 14, hgt - 12, colour)
    const size = this.words(c, title, x + 10, y + 30, w - 20, hgt - 40, colour)
    c.font = `400 ${Math.max(11, size - 2)}px ${this.font}`
    c.fillText(day(this.titles.get(node.parent.id + '%' + node.index) || node.first), x + 10, y + 10)
  }

  /** Writes a text into a box, as many lines as fit; returns the size of the letters. */
  words(c, text, x, y, w, hgt, colour) {
    const size = Math.max(11, Math.min(16, w / 13))
    c.font = `500 ${size}px ${this.font}`
    c.fillStyle = colour
    c.textBaseline = 'top'
    const parts = /\s/.test(text) ? text.split(/(?<=\s)/) : [...text]
    let line = ''
    let top = y
    for (let part of parts) {
      if (c.measureText(line + part.trimEnd()).width <= w) {
        line += part
        continue
      }
      if (top + size * 2.4 > y + hgt) {
        while (line && c.measureText(line + '…').width > w) line = line.slice(0, -1)
        c.fillText(line.trimEnd() + '…', x, top)
        return size
      }
      if (line) {
        c.fillText(line.trimEnd(), x, top)
        top += size * 1.25
      }
      line = part
      while (c.measureText(line.trimEnd()).width > w && top + size * 2.4 <= y + hgt) { // a word longer than a line
        let cut = line.length - 1
        while (cut > 1 && c.measureText(line.slice(0, cut)).width > w) cut--
        c.fillText(line.slice(0, cut), x, top)
        top += size * 1.25
        line = line.slice(cut)
      }
    }
    line = line.trimEnd()
    while (line && c.measureText(line).width > w) line = line.slice(0, -1)
    if (top + size <= y + hgt + 2) c.fillText(line, x, top)
    return size
  }

  /** Names a domain or branch at its upper edge, where there is room. */
  label(c, node, x, y, w, hgt, depth) {
    const room = node.header * hgt
    if (room < 11 || w < 60) return
    const left = Math.max(x, 0)
    const top = Math.max(y, 0)
    if (y + room < 0) return
    const size = Math.min(depth === 0 ? 15 : 13, Math.max(11, room * 0.62))
    c.font = `${depth === 0 ? 650 : 500} ${size}px ${this.font}`
    c.textBaseline = 'middle'
    c.fillStyle = depth === 0 ? this.ink.text : this.ink.soft
    const count = number(node.leaves)
    const wide = c.measureText(count).width
    let name = depth === 0 ? node.domain : this.title(node)
    if (!name) return
    const space = Math.min(x + w, this.width) - left - 16
    const showCount = space > wide + 70
    const limit = space - (showCount ? wide + 10 : 0)
    if (c.measureText(name).width > limit) {
      while (name && c.measureText(name + '…').width > limit) name = name.slice(0, -1)
      if (name.length < 2) return
      name += '…'
    }
    const middle = top + Math.min(room, y + room - top) / 2
    c.fillText(name, left + 8, middle)
    if (showCount) {
      c.fillStyle = this.ink.soft
      c.font = `400 ${size - 1}px ${this.font}`
      c.fillText(count, left + space + 8 - wide, middle)
    }
  }

  outline(c, node) {
    const [x, y, w, hgt] = this.place(node.box)
    c.lineWidth = 3
    c.strokeStyle = this.ink.accent
    c.beginPath()
    c.roundRect(x + 1.5, y + 1.5, Math.max(1, w - 3), Math.max(1, hgt - 3), 5)
    c.stroke()
  }

  // Titles

  title(node) {
    const known = this.titles.get(node.leaf ? node.parent.id + '#' + node.index : node.id)
    if (known !== undefined) return known
    const holder = node.leaf ? node.parent : node
    if (holder.id && this.wanted.length < 24) this.wanted.push(holder.id)
    else if (holder.loose && this.wanted.length < 24) this.wanted.push('loose ' + holder.domain)
    return ''
  }

  async fetchTitles() {
    if (this.asked > 0 || this.zooming) return
    const ids = [...new Set(this.wanted)].filter(id => !this.titles.has(id)).slice(0, 12)
    if (!ids.length) return
    this.asked = ids.length
    await Promise.all(ids.map(id => this.fetchTitle(id).catch(() => this.titles.set(id, ''))))
    this.asked = 0
    this.draw()
  }

  async fetchTitle(id) {
    if (id.startsWith('loose ')) {
      const { records } = await ask('domain', { domain: id.slice(6) })
      this.titles.set(id, '')
      records.filter(r => r.kind === 'leaf').reverse().forEach((l, i) => this.learn(id, i, { node_id: l.leaf_id, ...l }))
      return
    }
    const { records: [branch] } = await ask('branch', { id })
    this.titles.set(id, clean(branch.title))
    if (branch.layer === 1) branch.children.forEach((child, i) => this.learn(id, i, child))
    else for (const child of branch.children) this.titles.set(child.node_id, clean(child.title ?? ''))
  }

  learn(id, index, child) {
    this.titles.set(id + '#' + index, clean(gist(child)) || '·')
    this.titles.set(id + '@' + index, child.node_id)
    this.titles.set(id + '%' + index, child.timestamp)
  }

  async leafID(node) {
    const key = node.parent.id + '@' + node.index
    if (!this.titles.has(key)) await this.fetchTitle(node.parent.id)
    return this.titles.get(key)
  }

  // Moving

  fit(node) {
    this.focus = node
    const [x, y, w, hgt] = node.box
    const k = Math.min(this.width / w, this.height / hgt) * (node === this.root ? 1 : 0.94)
    this.glide({ k, x: x - (this.width / k - w) / 2, y: y - (this.height / k - hgt) / 2 })
  }

  zoomBy(factor, at = [this.width / 2, this.height / 2]) {
    const { x, y, k } = this.view
    const next = Math.max(1, Math.min(1e7, k * factor))
    const view = { k: next, x: x + at[0] / k - at[0] / next, y: y + at[1] / k - at[1] / next }
    if (factor > 0.8 && factor < 1.25) this.set(view)
    else this.glide(view)
  }

  set(view) {
    const { k } = view
    view.x = Math.max(0, Math.min(this.width - this.width / k, view.x))
    view.y = Math.max(0, Math.min(this.height - this.height / k, view.y))
    this.view = view
    this.stage.classList.toggle('deep', k > 1.01) // a finger moves the picture, not the page
    this.draw()
  }

  glide(to) {
    cancelAnimationFrame(this.frame)
    to.k = Math.max(1, to.k)
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return this.set(to)
    const from = this.view
    const start = performance.now()
    this.zooming = true
    const step = now => {
      const f = Math.min(1, (now - start) / 420)
      const e = f < 0.5 ? 4 * f ** 3 : 1 - (-2 * f + 2) ** 3 / 2
      const k = from.k * (to.k / from.k) ** e
      // The point that both views share stays where it is.
      const blend = to.k === from.k ? e : (1 / from.k - 1 / k) / (1 / from.k - 1 / to.k)
      this.set({ k, x: from.x + (to.x - from.x) * blend, y: from.y + (to.y - from.y) * blend })
      if (f < 1) this.frame = requestAnimationFrame(step)
      else {
        this.zooming = false
        this.draw()
      }
    }
    this.frame = requestAnimationFrame(step)
  }

  /** The deepest node under a point that is large enough to mean. */
  at(px, py) {
    let node = this.root
    const inside = n => { const [x, y, w, hgt] = this.place(n.box); return px >= x && py >= y && px < x + w && py < y + hgt && w >= 4 && hgt >= 4 }
    for (;;) {
      arrange(node)
      const next = node.children.find(inside)
      if (!next) return node
      node = next
    }
  }

  pointer() {
    let down = null
    const point = e => { const r = this.stage.getBoundingClientRect(); return [e.clientX - r.left, e.clientY - r.top] }
    this.stage.addEventListener('pointerdown', e => {
      if (e.button !== 0) return
      down = { at: point(e), view: this.view, moved: false }
      this.stage.setPointerCapture(e.pointerId)
    })
    this.stage.addEventListener('pointermove', e => {
      const at = point(e)
      if (!down) return this.hint(at)
      const dx = at[0] - down.at[0]
      const dy = at[1] - down.at[1]
      if (Math.hypot(dx, dy) > 5) down.moved = true
      if (down.moved && this.view.k > 1) this.set({ k: down.view.k, x: down.view.x - dx / down.view.k, y: down.view.y - dy / down.view.k })
    })
    this.stage.addEventListener('pointerup', e => {
      if (down && !down.moved) this.press(this.at(...point(e)))
      down = null
    })
    this.stage.addEventListener('pointercancel', () => { down = null })
    this.stage.addEventListener('pointerleave', () => { this.tip.hidden = true })
    this.stage.addEventListener('wheel', e => {
      if (e.deltaY > 0 && this.view.k === 1) return // nothing to zoom out of: the page may scroll
      e.preventDefault()
      this.zoomBy(Math.exp(-Math.max(-80, Math.min(80, e.deltaY)) / 400), point(e))
    }, { passive: false })
  }

  /** A press zooms one step towards a node; a leaf that can be read opens. */
  press(node) {
    if (node === this.root) return this.fit(this.root)
    const large = n => { const [, , w, hgt] = this.place(n.box); return w > this.width * 0.7 || hgt > this.height * 0.7 }
    let target = pathTo(node).find(n => !large(n)) ?? node
    if (node.leaf && this.place(node.box)[2] > 60) target = node
    if (target.leaf) return this.enter(target)
    this.fit(target)
    this.say(target)
  }

  async enter(node) {
    const id = node.leaf ? await this.leafID(node) : node.id || node.domain
    if (id) this.open(id)
  }

  hint([x, y]) {
    const node = this.at(x, y)
    if (node === this.root) {
      this.tip.hidden = true
      return
    }
    replace(this.tip, h('strong', {}, this.nameOf(node)), h('span', {}, this.spanOf(node)))
    this.tip.hidden = false
    const w = this.tip.offsetWidth
    this.tip.style.setProperty('transform', `translate(${Math.max(4, Math.min(this.width - w - 4, x + 14))}px, ${Math.min(this.height - this.tip.offsetHeight - 4, y + 18)}px)`)
  }

  nameOf(node) {
    this.wanted ??= []
    return this.title(node) || (node.loose ? t('explore.loose') : node.domain)
  }

  spanOf(node) {
    const when = node.first === node.last ? day(node.first) : t('between', { from: day(node.first), to: day(node.last) })
    return node.leaf ? `${node.domain} · ≈ ${day(node.first)}` : `${t('memories', { n: node.leaves })} · ${when}`
  }

  say(node) { announce(node === this.root ? t('picture.whole') : `${this.nameOf(node)}, ${this.spanOf(node)}`) }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.view) return
    const siblings = this.focus.parent?.children ?? []
    const step = d => {
      if (this.focus === this.root) return this.choose(this.root.children[0])
      this.choose(siblings[(siblings.indexOf(this.focus) + d + siblings.length) % siblings.length])
    }
    switch (event.key) {
      case 'ArrowRight': case 'ArrowDown': step(1); break
      case 'ArrowLeft': case 'ArrowUp': step(-1); break
      case '+': case '=': this.zoomBy(2); break
      case '-': this.zoomBy(0.5); break
      case 'Enter': case ' ':
        if (this.focus.leaf) this.enter(this.focus)
        else {
          arrange(this.focus)
          const first = this.focus.children[0]
          if (this.focus !== this.root) this.fit(this.focus)
          if (first) this.choose(first)
        }
        break
      case 'o': this.enter(this.focus); break
      case 'Escape': case 'Backspace':
        if (this.focus === this.root) return
        this.choose(this.focus.parent)
        this.fit(this.focus)
        break
      case 'Home': this.choose(this.root); this.fit(this.root); break
      default: return
    }
    event.preventDefault()
  }

  choose(node) {
    if (!node) return
    this.focus = node
    const [x, y, w, hgt] = this.place(node.box)
    if (x < 0 || y < 0 || x + w > this.width || y + hgt > this.height) this.fit(node.parent ?? node)
    this.focus = node
    this.draw()
    this.say(node)
  }
}

/** The nodes from below the root down to one. */
function pathTo(node) {
  const path = []
  for (let n = node; n.parent; n = n.parent) path.unshift(n)
  return path
}

/** What a node is known by among its siblings, in an older tree too. Leaves
 * without a branch have no lasting order. */
function nameIn(node) {
  if (node.leaf) return node.parent.loose ? undefined : node.index
  return node.id || node.domain
}

/** What a leaf says, in a few words: its title, or more where that is cut. */
function gist(child) {
  const title = undated(child.title, child.timestamp)
  return title && !title.endsWith('…') ? title : plain(child.excerpt ?? '') || title
}

/** The tree of what the map says, with a bough for leaves without a branch. */
function grow(records) {
  const root = { id: '', domain: '', children: [], leaves: 0, header: 0, from: Infinity, to: -Infinity, first: '', last: '' }
  const domains = new Map()
  const nodes = new Map()
  for (const r of records) {
    const node = { id: r.node_id, domain: r.domain, layer: r.layer, leaves: r.leaves, first: r.first, last: r.last, from: days(r.first), to: days(r.last), children: [], above: r.parent, header: 0.045 }
    if (r.node_id) {
      nodes.set(r.node_id, node)
      continue
    }
    node.header = 0.085
    node.bare = r.loose ?? 0
    node.parent = root
    domains.set(r.domain, node)
    root.children.push(node)
    root.leaves += r.leaves
    if (node.from < root.from) { root.from = node.from; root.first = r.first }
    if (node.to > root.to) { root.to = node.to; root.last = r.last }
  }
  for (const node of nodes.values()) {
    node.parent = nodes.get(node.above) ?? domains.get(node.domain)
    node.parent.children.push(node)
  }
  for (const d of domains.values()) {
    if (d.bare > 0) d.children.push({ id: 'loose ' + d.domain, loose: true, domain: d.domain, layer: 1, leaves: d.bare, first: d.first, last: d.last, from: d.children.length ? d.to : d.from, to: d.to, children: [], parent: d, header: 0 })
  }
  return root
}

/** Gives the children of a node their boxes; leaves come into being here. */
function arrange(node) {
  if (node.arranged || !node.box || node.leaf) return
  node.arranged = true
  if (node.layer === 1 && node.children.length === 0) {
    for (let i = 0; i < node.leaves; i++) {
      const at = node.leaves > 1 ? node.from + (node.to - node.from) * i / (node.leaves - 1) : node.from
      const date = at === at ? new Date(at * 86400000).toISOString().slice(0, 10) : ''
      node.children.push({ leaf: true, index: i, parent: node, domain: node.domain, leaves: 1, from: at, to: at, first: date, last: date, children: [] })
    }
  } else {
    node.children.sort((a, b) => b.leaves - a.leaves || a.from - b.from)
  }
  const [x, y, w, hgt] = node.box
  if (node.layer === 0 && hgt > 60 && w > 60) node.header = Math.max(node.header, 18 / hgt) // room for its name
  const top = node.header * hgt
  const gap = Math.min(w, hgt) * (node.layer === undefined ? 0.006 : node.layer === 0 ? 0.012 : 0.016)
  squarify(node.children, [x + gap, y + top + (top ? 0 : gap), w - 2 * gap, hgt - top - gap - (top ? 0 : gap)])
  for (const child of node.children) {
    const inset = Math.min(child.box[2], child.box[3]) * (node.layer === undefined ? 0.012 : child.leaf ? 0.04 : 0.02)
    child.box = [child.box[0] + inset, child.box[1] + inset, child.box[2] - 2 * inset, child.box[3] - 2 * inset]
  }
}

/** Divides a box among nodes by their leaves, in rows of nearly square boxes
 * (Bruls, Huizing, van Wijk: Squarified Treemaps, 2000). */
function squarify(nodes, [x, y, w, hgt]) {
  let left = nodes.reduce((sum, n) => sum + n.leaves, 0)
  for (let i = 0; i < nodes.length;) {
    const side = Math.min(w, hgt)
    const scale = w * hgt / left
    let sum = 0
    let worst = Infinity
    let j = i
    for (; j < nodes.length; j++) {
      const next = sum + nodes[j].leaves
      const thick = next * scale / side
      const ratio = Math.max(thick * thick / (nodes[i].leaves * scale), nodes[i].leaves * scale / (thick * thick), thick * thick / (nodes[j].leaves * scale), nodes[j].leaves * scale / (thick * thick))
      if (ratio > worst) break
      worst = ratio
      sum = next
    }
    const thick = sum * scale / side
    let along = 0
    for (; i < j; i++) {
      const length = nodes[i].leaves * scale / thick
      nodes[i].box = w < hgt ? [x + along, y, length, thick] : [x, y + along, thick, length]
      along += length
    }
    if (w < hgt) { y += thick; hgt -= thick } else { x += thick; w -= thick }
    left -= sum
  }
}
