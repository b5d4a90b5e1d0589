// Set up: which folder holds the memory, which agents use it, and whether it
// works.

import { add, h, icon, replace, shellLine } from './dom.js'
import { announce, ask, go, refresh, shared, tell, trouble } from './app.js'
import { t } from './words.js'
import { labels } from './explore.js'

let page, outcomes

export async function show(element) {
  page = element
  outcomes = new Map()
  await draw()
}

async function draw(focus) {
  const { records, shell } = await ask('agents')
  const agents = records.filter(r => r.kind === 'found')
  agents.sort((a, b) => b.installed - a.installed || registered(b) - registered(a))
  replace(page,
    h('header', { class: 'pagehead' }, h('h1', {}, t('nav.setup')), h('p', {}, t('setup.about'))),
    works(agents),
    memoryCard(),
    h('section', { class: 'card' }, h('h2', {}, t('setup.agents')), h('p', { class: 'hint' }, t('setup.agentshint')),
      h('ul', { class: 'agentlist' }, agents.filter(near).map(agentRow)),
      agents.some(a => !near(a)) && h('details', {}, h('summary', {}, t('setup.others', { n: agents.filter(a => !near(a)).length })), h('ul', { class: 'agentlist' }, agents.filter(a => !near(a)).map(agentRow)))),
    healthCard(),
    h('section', {}, h('h2', { class: 'unseen' }, t('shell')), shellLine(shell, labels())))
  if (focus) page.querySelector(focus)?.focus()
}

const registered = a => a.user === 'registered' || a.project === 'registered'
const near = a => a.installed || registered(a) || outcomes.has(a.agent)

/** The answer to "does it work?", in one sentence. */
function works(agents) {
  let sort = 'none'
  let text = t('works.noagent')
  let next = t('works.connect')
  const failed = [...outcomes.values()].find(o => o.state === 'failed')
  const waiting = [...outcomes.values()].find(o => o.state === 'approval')
  const connected = [...outcomes.values()].filter(o => o.state === 'connected' || o.state === 'answers').map(o => o.title)
  const written = agents.filter(registered).map(a => a.title)
  const names = list => new Intl.ListFormat(document.documentElement.lang, { type: 'conjunction' }).format(list)
  if (!shared.state.exists) [sort, text, next] = ['warn', t('works.nomemory'), t('works.create')]
  else if (failed) [sort, text, next] = ['bad', t('works.failed', { agent: failed.title }), [failed.detail, failed.next ?? t('works.tryshell')].filter(Boolean).join(' — ')]
  else if (waiting) [sort, text, next] = ['warn', t('works.waiting', { agent: waiting.title }), waiting.next ?? '']
  else if (connected.length) [sort, text, next] = ['good', t('works.connected', { agents: names(connected), n: connected.length }), t('works.try')]
  else if (written.length) [sort, text, next] = ['good', t('works.registered', { agents: names(written), n: written.length }), t('works.check')]
  else if (!agents.some(a => a.installed)) [text, next] = [t('works.noneinstalled'), t('works.install')]
  return h('div', { class: 'verdict ' + sort, role: 'status', id: 'works' }, icon(sort === 'good' ? 'check' : 'warn', 26), h('div', {}, h('h2', {}, text), next && h('p', {}, h('bdi', {}, next))))
}

function memoryCard() {
  const state = shared.state
  const chooser = h('div', { class: 'chooser' })
  const change = h('button', { type: 'button', class: 'button plain', id: 'choose', 'aria-expanded': 'false', onclick: () => {
    const open = change.getAttribute('aria-expanded') === 'true'
    change.setAttribute('aria-expanded', String(!open))
    if (open) replace(chooser)
    else browse(chooser, state.home).catch(e => replace(chooser, trouble(e)))
  } }, icon('folder'), t('setup.choose'))
  const result = h('div', { role: 'status' })
  return h('section', { class: 'card' }, h('h2', {}, t('setup.memory')),
    h('p', { class: 'where-it-is' }, icon('folder'), h('bdi', {}, state.home), h('span', { class: 'tag ' + (state.exists ? 'good' : 'warn') }, state.exists ? t('memories', { n: state.stats?.totals?.leaves ?? 0 }) : t('memory.none'))),
    h('p', { class: 'hint' }, t('setup.memoryhint')),
    !state.exists && [h('p', {}, t('setup.createhint')), shellLine(`ihmt init --path=${quote(state.home)}`, labels())],
    h('div', { class: 'buttons' },
      !state.exists && h('button', { type: 'button', class: 'button', id: 'create', onclick: e => act(e.target, result, async () => {
        shared.state = await tell('memory/create', { path: state.home })
        await refresh()
        announce(t('setup.created'))
        await draw('#choose')
      }) }, t('setup.create')),
      change), result, chooser)
}

/** All that can be checked, when somebody asks for it. */
function healthCard() {
  const list = h('div', { class: 'health', role: 'status' })
  return h('section', { class: 'card' }, h('h2', {}, t('health.title')), h('p', { class: 'hint' }, t('health.hint')),
    h('div', { class: 'buttons' }, h('button', { type: 'button', class: 'button plain', id: 'check', onclick: e => act(e.target, list, async () => {
      replace(list, h('p', { class: 'hint' }, t('health.looking')))
      const { records, shell } = await ask('health')
      const checks = records.filter(r => r.kind === 'check')
      const wrong = checks.filter(c => c.state === 'problem').length
      replace(list, h('p', { class: 'note ' + (wrong ? 'bad' : 'good') }, icon(wrong ? 'warn' : 'check'), h('strong', {}, t(wrong ? 'health.wrong' : 'health.well', { n: wrong }))),
        h('ul', {}, checks.map(check)), shellLine(shell, labels()))
    }) }, t('health.check'))), list)
}

function check(c) {
  const name = t('health.' + c.name)
  return h('li', { class: c.state }, icon(c.state === 'ok' ? 'check' : 'warn', 18),
    h('div', {}, h('strong', {}, name.startsWith('health.') ? c.name : name), ' ', h('bdi', {}, c.detail), c.mend && h('p', { class: 'hint' }, h('bdi', {}, c.mend))))
}

function quote(word) { return /^[\w./:=@%+-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'" }

async function act(button, result, what) {
  button.disabled = true
  replace(result)
  try {
    await what()
  } catch (error) {
    replace(result, trouble(error))
  }
  button.disabled = false
}

/** Folders to choose from. */
async function browse(chooser, path) {
  let answer
  try {
    answer = await ask('folders', { path })
  } catch {
    answer = await ask('folders') // it does not exist yet: begin at home
  }
  const typed = h('input', { 'aria-label': t('setup.path'), value: answer.path, spellcheck: 'false', autocomplete: 'off' })
  const look = p => browse(chooser, p).then(() => chooser.querySelector('input').focus())
  const result = h('div', { role: 'status' })
  replace(chooser,
    h('form', { class: 'question small', onsubmit: e => { e.preventDefault(); look(typed.value) } }, typed, h('button', { class: 'button plain', type: 'submit' }, t('setup.open'))),
    h('ul', { class: 'folders' },
      answer.parent !== answer.path && h('li', {}, h('button', { type: 'button', onclick: () => look(answer.parent) }, icon('up', 18), t('setup.parent'))),
      answer.folders.map(f => h('li', {}, h('button', { type: 'button', onclick: () => look(f.path) }, icon('folder', 18), h('bdi', {}, f.name), f.memory && h('span', { class: 'tag good' }, t('setup.holds'))))),
      answer.folders.length === 0 && h('li', { class: 'hint' }, t('setup.nofolders'))),
    h('div', { class: 'buttons' },
      h('button', { type: 'button', class: 'button', onclick: e => act(e.target, result, async () => {
        shared.state = await tell('memory', { path: answer.path })
        await refresh()
        outcomes.clear()
        announce(t('setup.turned'))
        await draw('#choose')
      }) }, answer.memory ? t('setup.usethis') : t('setup.useempty'))), result)
}

function agentRow(a) {
  const panel = h('div', { class: 'plan', id: 'plan-' + a.agent })
  const outcome = outcomes.get(a.agent)
  const [sort, said] = outcome ? stateOf(outcome.state) : registered(a) ? ['good', t('agent.registered')] : a.installed ? ['', t('agent.installed')] : ['', t('agent.absent')]
  const button = h('button', { type: 'button', class: 'button plain', 'data-agent': a.agent, 'aria-expanded': 'false', 'aria-controls': 'plan-' + a.agent, 'aria-label': `${registered(a) ? t('agent.check') : t('agent.connect')}: ${a.title}`, onclick: () => {
    const open = button.getAttribute('aria-expanded') === 'true'
    button.setAttribute('aria-expanded', String(!open))
    if (open) replace(panel)
    else plan(panel, a, a.project && a.project !== 'registered' && shared.state.project ? 'project' : 'user')
  } }, registered(a) ? t('agent.check') : t('agent.connect'))
  return h('li', {}, h('div', { class: 'agent' }, h('strong', {}, a.title), h('span', { class: 'tag ' + sort }, said), button), outcome && said2(outcome), panel)
}

function stateOf(state) {
  return { connected: ['good', t('agent.connected')], answers: ['good', t('agent.answers')], approval: ['warn', t('agent.approval')], failed: ['bad', t('agent.failed')] }[state] ?? ['', state]
}

function said2(o) {
  return (o.detail || o.next) && h('p', { class: 'hint' }, h('bdi', {}, [o.detail, o.next].filter(Boolean).join(' — ')))
}

/** What connecting an agent would write, before it is written. */
async function plan(panel, a, scope) {
  replace(panel, h('p', { class: 'hint', role: 'status' }, t('setup.looking')))
  let answer
  try {
    answer = await ask('agents/preview', { agent: a.agent, scope })
  } catch (error) {
    replace(panel, trouble(error))
    return
  }
  const changes = answer.records.filter(r => r.kind === 'change' && r.action !== 'keep')
  const refused = answer.records.find(r => r.kind === 'agent' && r.state === 'failed')
  const result = h('div', { role: 'status' })
  replace(panel,
    a.project && shared.state.project && h('fieldset', { class: 'scope' }, h('legend', {}, t('setup.scope')),
      ['user', 'project'].map(s => h('label', {}, h('input', { type: 'radio', name: 'scope-' + a.agent, checked: s === scope, onchange: () => plan(panel, a, s) }), t('scope.' + s)))),
    refused && h('div', { class: 'note bad' }, icon('warn'), h('p', {}, h('bdi', {}, refused.detail), ' ', refused.next)),
    !refused && (changes.length ? h('p', {}, t('setup.writes', { n: changes.length })) : h('p', {}, t('setup.nothing'))),
    changes.map(c => h('details', { class: 'change', open: changes.indexOf(c) === 0 }, h('summary', {}, h('span', { class: 'tag' }, t('action.' + c.action)), ' ', h('bdi', {}, c.file)),
      h('pre', { tabindex: '0', 'aria-label': c.file, role: 'region' }, (c.diff ?? '').split('\n').filter(l => l).map(l => h('span', { class: l[0] === '+' ? 'added' : l[0] === '-' ? 'taken' : 'where' }, l + '\n'))))),
    shellLine(answer.shell, labels()),
    h('div', { class: 'buttons' }, h('button', { type: 'button', class: 'button', 'data-do': a.agent, onclick: e => connect(e.target, result, a, scope) }, t(changes.length ? 'setup.connect' : 'setup.verify', { agent: a.title }))), result)
}

async function connect(button, result, a, scope) {
  button.disabled = true
  replace(result, h('p', { class: 'hint' }, t('setup.connecting', { agent: a.title })))
  try {
    const { records } = await tell('agents/connect', { agent: a.agent, scope })
    const outcome = records.find(r => r.kind === 'agent')
    if (outcome) outcomes.set(a.agent, outcome)
    await refresh()
    await draw(`[data-agent="${a.agent}"]`)
    document.getElementById('works')?.scrollIntoView({ block: 'nearest' })
  } catch (error) {
    replace(result, trouble(error))
    button.disabled = false
  }
}
