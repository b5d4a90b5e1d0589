// The frame: navigation, language, colours, and which screen is shown.

import { h, icon, replace } from './dom.js'
import { languages, language, loadWords, speak, t, number } from './words.js'

const screens = ['explore', 'diagnose', 'timeline', 'activity', 'setup']

/** What the server says; a failure is an Error that says why. */
export async function ask(path, parameters = {}) {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    for (const v of [value].flat()) if (v !== undefined && v !== '' && v !== null) query.append(name, v)
  }
  const text = query.toString()
  return read(await fetch('/api/' + path + (text ? '?' + text : '')))
}

/** Asks the server to do something. */
export async function tell(path, what) {
  return read(await fetch('/api/' + path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(what) }))
}

async function read(response) {
  const text = await response.text()
  let answer
  try {
    answer = JSON.parse(text)
  } catch {
    throw new Error(text.trim() || response.statusText)
  }
  if (!response.ok) throw new Error(answer.error)
  return answer
}

export const shared = { state: null, listeners: new Set() }

export function whenSaved(f) {
  shared.listeners.add(f)
  return () => shared.listeners.delete(f)
}

/** Where the address leads: a screen, what it is to show, and how. */
export function place() {
  const [path, query] = location.hash.slice(2).split('?')
  const [screen, ...rest] = path.split('/').map(decodeURIComponent)
  return { screen: screens.includes(screen) ? screen : '', id: rest[0] ?? '', with: new URLSearchParams(query) }
}

export function go(screen, id = '', query = {}) {
  location.hash = address(screen, id, query)
}

export function address(screen, id = '', query = {}) {
  const text = new URLSearchParams(Object.entries(query).flatMap(([k, v]) => [v].flat().filter(x => x !== undefined && x !== '').map(x => [k, x]))).toString()
  return '#/' + screen + (id ? '/' + encodeURIComponent(id) : '') + (text ? '?' + text : '')
}

/** What is said aloud by a screen reader. */
export function announce(text) {
  replace(live, text)
}

/** What a failure looks like. */
export function trouble(error) {
  return h('div', { class: 'note bad', role: 'alert' }, icon('warn'), h('p', {}, String(error.message ?? error)))
}

const live = h('div', { class: 'unseen', role: 'status', 'aria-live': 'polite' })
const main = h('main', { id: 'main', tabindex: '-1' })
const foot = h('div', { class: 'memory' })
let links = []
let current = ''
let leave = () => {}

function frame() {
  links = screens.map(name => h('a', { href: '#/' + name, 'data-screen': name }, icon(name, 22), h('span', {}, t('nav.' + name))))
  const theme = h('button', { class: 'quiet', type: 'button', 'aria-label': t('theme'), title: t('theme'), onclick: switchTheme }, icon('sun'), icon('moon'))
  const choice = h('select', { 'aria-label': t('language'), onchange: async e => { await speak(e.target.value); frame(); current = ''; show() } },
    Object.entries(languages).map(([code, name]) => h('option', { value: code, lang: code, selected: code === language }, name)))
  choice.value = language
  replace(document.body,
    h('a', { class: 'skip', href: '#main', onclick: e => { e.preventDefault(); main.focus() } }, t('skip')),
    h('header', { class: 'rail' },
      h('a', { class: 'brand', href: '#/explore', 'aria-label': 'IHMT' }, h('img', { src: '/web/icon.svg', alt: '', width: '30', height: '30' }), h('span', {}, 'IHMT')),
      h('nav', { 'aria-label': t('screens') }, links),
      h('div', { class: 'foot' }, foot, h('div', { class: 'choices' }, choice, theme))),
    main, live)
  showMemory()
}

function switchTheme() {
  const dark = document.documentElement.dataset.theme
    ? document.documentElement.dataset.theme === 'dark'
    : matchMedia('(prefers-color-scheme: dark)').matches
  const next = dark ? 'light' : 'dark'
  document.documentElement.dataset.theme = next
  localStorage.setItem('theme', next)
  dispatchEvent(new Event('recolour'))
}

/** Which memory it is, at the foot of the navigation. */
function showMemory() {
  const state = shared.state
  if (!state) return
  const n = state.stats?.totals?.leaves
  replace(foot,
    h('strong', {}, state.exists ? t('memories', { n: n ?? 0 }) : t('memory.none')),
    h('span', { title: state.home }, h('bdi', {}, state.home)))
}

export async function refresh() {
  shared.state = await ask('state')
  showMemory()
}

async function show() {
  const to = place()
  if (!to.screen) {
    location.replace(shared.state?.exists ? '#/explore' : '#/setup')
    return
  }
  for (const a of links) a.toggleAttribute('aria-current', a.dataset.screen === to.screen)
  for (const a of links) if (a.hasAttribute('aria-current')) a.setAttribute('aria-current', 'page')
  const module = await import(`./${to.screen}.js`)
  if (current === to.screen && module.move) {
    module.move(to)
    return
  }
  leave()
  leave = () => {}
  const moved = current !== '' && current !== to.screen
  current = to.screen
  document.title = t('nav.' + to.screen) + ' · IHMT'
  const page = h('div', { class: 'screen ' + to.screen })
  replace(main, page)
  main.scrollTop = 0
  if (moved) main.focus({ preventScroll: true })
  try {
    const left = await module.show(page, to)
    if (current === to.screen && typeof left === 'function') leave = left
  } catch (error) {
    replace(page, trouble(error))
  }
  document.documentElement.dataset.ready = to.screen
}

function listen() {
  const events = new EventSource('/api/events')
  events.addEventListener('saved', async () => {
    await refresh().catch(() => {})
    for (const f of shared.listeners) f()
  })
}

async function start() {
  const theme = localStorage.getItem('theme')
  if (theme) document.documentElement.dataset.theme = theme
  const screen = import(`./${place().screen || 'explore'}.js`) // while the rest is on its way
  await Promise.all([screen, loadWords(), ask('state').then(s => { shared.state = s })])
  frame()
  addEventListener('hashchange', show)
  await show()
  listen()
}

start().catch(error => replace(document.body, h('main', {}, trouble(error))))
