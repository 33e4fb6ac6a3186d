/** A calendar of a mail has one event, or a few that repeat. */
const MAX_EVENTS = 1_000
const MAX_PEOPLE = 1_000
/** The properties that a reader sees, with the names of their lines. */
const SHOWN: Readonly<Record<string, string>> = {
  SUMMARY: 'Summary',
  DTSTART: 'Start',
  DTEND: 'End',
  DUE: 'Due',
  DURATION: 'Duration',
  RRULE: 'Repeats',
  LOCATION: 'Location',
  ORGANIZER: 'Organizer',
  ATTENDEE: 'Attendees',
  DESCRIPTION: 'Description',
}

const UNITS: Readonly<Record<string, string>> = { W: 'weeks', D: 'days', H: 'h', M: 'min', S: 's' }

interface Property {
  readonly name: string
  readonly parameters: string
  readonly value: string
}

/**
 * The events and tasks of an invitation (iCalendar), each as lines such as `Location: Room 4`. Alarms and time zones are
 * left out.
 */
export function eventsOf(calendar: string): string[] {
  const events: string[] = []
  let event: Map<string, string[]> | undefined
  let depth = 0
  for (const line of calendar.replaceAll(/\r?\n[ \t]/g, '').split(/\r?\n/)) {
    const { name, parameters, value } = propertyOf(line)
    if (name === 'BEGIN') {
      if (event !== undefined) depth += 1
      else if (/^V(?:EVENT|TODO|JOURNAL)$/i.test(value.trim())) event = new Map()
    } else if (name === 'END' && event !== undefined) {
      if (depth > 0) depth -= 1
      else {
        events.push(linesOf(event))
        event = undefined
        if (events.length >= MAX_EVENTS) break
      }
    } else if (event !== undefined && depth === 0 && SHOWN[name] !== undefined) {
      const values = event.get(name) ?? []
      if (values.length < MAX_PEOPLE) values.push(shownValue({ name, parameters, value }))
      event.set(name, values)
    }
  }
  if (event !== undefined) events.push(linesOf(event))
  return events.filter((lines) => lines !== '')
}

function linesOf(event: ReadonlyMap<string, readonly string[]>): string {
  return Object.entries(SHOWN)
    .map(([name, label]) => [
      label,
      event
        .get(name)
        ?.filter((value) => value !== '')
        .join('; ') ?? '',
    ])
    .filter(([, value]) => value !== '')
    .map(([label, value]) => `${label}: ${value}`)
    .join('\n')
}

/** Splits a line at its first colon outside quotation marks. */
function propertyOf(line: string): Property {
  let isQuoted = false
  let colon = 0
  for (; colon < line.length; colon += 1) {
    const character = line[colon]
    if (character === '"') isQuoted = !isQuoted
    else if (character === ':' && !isQuoted) break
  }
  const head = line.slice(0, colon)
  const semicolon = head.indexOf(';')
  const name = (semicolon < 0 ? head : head.slice(0, semicolon)).trim().toUpperCase()
  return { name, parameters: semicolon < 0 ? '' : head.slice(semicolon), value: line.slice(colon + 1) }
}

function shownValue({ name, parameters, value }: Property): string {
  if (name === 'ORGANIZER' || name === 'ATTENDEE') {
    const address = value.trim().replace(/^mailto:/i, '')
    const person = /;CN=(?:"([^"]*)"|([^;]*))/i.exec(parameters)
    const called = (person?.[1] ?? person?.[2] ?? '').trim()
    return called === '' || called === address ? address : `${called} <${address}>`
  }
  if (name === 'DTSTART' || name === 'DTEND' || name === 'DUE') return shownTime(value.trim(), parameters)
  if (name === 'DURATION') return shownDuration(value.trim())
  if (name === 'RRULE') return shownRule(value.trim())
  return value.replaceAll(/\\(.)/g, (_, escaped: string) => (/n/i.test(escaped) ? '\n' : escaped)).trim()
}

/** A duration such as `1 h 30 min`. */
function shownDuration(value: string): string {
  if (!/^\+?P[\dA-Z]{2,100}$/i.test(value)) return value
  return Array.from(value.matchAll(/(\d+)([A-Z])/gi), ([, count = '', unit = '']) => {
    const name = UNITS[unit.toUpperCase()] ?? unit
    return `${count} ${count === '1' ? name.replace(/s$/, '') || name : name}`
  }).join(' ')
}

/** A rule such as `weekly; by day MO,WE; until 2026-12-31`. */
function shownRule(value: string): string {
  return value
    .split(';')
    .map((part) => {
      const [name = '', detail = ''] = part.split('=')
      if (/^FREQ$/i.test(name)) return detail.toLowerCase()
      if (/^UNTIL$/i.test(name)) return `until ${shownTime(detail, '')}`
      return `${name.toLowerCase().replace(/^by/, 'by ')} ${detail}`.trim()
    })
    .join('; ')
}

/** A time such as `2026-05-04 09:00 UTC`. */
function shownTime(value: string, parameters: string): string {
  const [, year, month, day, hour, minute, zone = ''] =
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d*(Z?))?$/.exec(value) ?? []
  if (year === undefined) return value
  const date = `${year}-${month}-${day}`
  if (hour === undefined) return date
  const place = zone === 'Z' ? 'UTC' : (/;TZID=(?:"([^"]*)"|([^;]*))/i.exec(parameters)?.slice(1).join('') ?? '')
  return `${date} ${hour}:${minute} ${place}`.trim()
}
