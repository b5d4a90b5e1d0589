// What the page says, in the reader's language, and how it writes numbers and
// dates.

export const languages = { en: 'English', es: 'Español', zh: '中文' }

let words = {}
let english = {}
export let language = 'en'

function preferred() {
  const chosen = localStorage.getItem('language')
  if (chosen in languages) return chosen
  for (const tag of navigator.languages ?? []) {
    const code = tag.slice(0, 2).toLowerCase()
    if (code in languages) return code
  }
  return 'en'
}

export async function loadWords(code = preferred()) {
  const file = c => fetch(`/web/${c}.json`).then(r => r.json())
  words = await file(code)
  english = code === 'en' ? words : english
  language = code
  document.documentElement.lang = code
}

export async function speak(code) {
  localStorage.setItem('language', code)
  await loadWords(code)
}

/** A phrase: t('memories', {n: 3}). One that depends on a number has forms. */
export function t(key, values = {}) {
  let phrase = words[key] ?? english[key] ?? key
  if (typeof phrase === 'object') phrase = phrase[new Intl.PluralRules(language).select(values.n)] ?? phrase.other
  return phrase.replace(/\{(\w+)\}/g, (_, name) => (typeof values[name] === 'number' ? number(values[name]) : values[name] ?? ''))
}

export function known(key) { return key in words }

export function number(n, digits = 0) {
  return new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(n)
}

export function percent(x) {
  return new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 }).format(x)
}

/** A calendar day, from the start of a timestamp; it has no time zone. */
export function day(timestamp, style = 'medium') {
  const m = /^(\d{4})-(\d\d)-(\d\d)/.exec(timestamp ?? '')
  if (!m) return timestamp ?? ''
  const date = new Date(Date.UTC(2000, m[2] - 1, m[3]))
  date.setUTCFullYear(+m[1])
  return new Intl.DateTimeFormat(language, { dateStyle: style, timeZone: 'UTC' }).format(date)
}

/** The time of day of a moment, where the reader is. */
export function clock(moment) {
  const date = new Date(moment)
  return isNaN(date) ? '' : new Intl.DateTimeFormat(language, { timeStyle: 'short' }).format(date)
}

export function bytes(n) {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte']
  let i = 0
  while (n >= 1000 && i < 3) { n /= 1000; i++ }
  return new Intl.NumberFormat(language, { style: 'unit', unit: units[i], unitDisplay: i ? 'short' : 'long', maximumFractionDigits: n < 10 && i ? 1 : 0 }).format(n)
}
