import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { ROOT } from './markdown-pages.js'

/** An event, as the sources report it or as the page lists it. */
interface ReportedEvent {
  readonly levels: ReadonlySet<string>
  readonly fields: ReadonlySet<string>
  /** The members `error` and `durationMs` that it may have. */
  readonly also: ReadonlySet<string>
}

const PAGE = 'docs/reference/telemetry.md'

function eventsOfSources(): Map<string, ReportedEvent> {
  const events = new Map<string, ReportedEvent>()
  for (const folder of ['src', 'adapters']) {
    for (const path of readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })) {
      if (!path.endsWith('.ts')) continue
      const text = readFileSync(join(ROOT, folder, path), 'utf8')
      if (text.includes('.record(')) addEvents(events, ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true))
    }
  }
  return events
}

function addEvents(events: Map<string, ReportedEvent>, source: ts.SourceFile): void {
  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit)
    if (!ts.isCallExpression(node) || !/[tT]elemetry\??\.record$/.test(node.expression.getText())) return
    const [argument] = node.arguments
    if (argument === undefined || !ts.isObjectLiteralExpression(argument)) {
      throw new Error(`${source.fileName}: a telemetry event must be an object literal, so that the page can list it`)
    }
    const members = membersOf(argument)
    const name = members.get('name')
    if (name === undefined || !ts.isStringLiteral(name)) throw new Error(`${source.fileName}: an event has no name`)
    const known = events.get(name.text)
    events.set(name.text, {
      levels: new Set([...(known?.levels ?? []), ...literalsIn(valueOf(members.get('level'), node))]),
      fields: new Set([...(known?.fields ?? []), ...namesOf(valueOf(members.get('fields'), node))]),
      also: new Set([...(known?.also ?? []), ...['durationMs', 'error'].filter((member) => members.has(member))]),
    })
  }
  visit(source)
}

function membersOf(object: ts.ObjectLiteralExpression): Map<string, ts.Node> {
  const members = object.properties.flatMap((property): [string, ts.Node][] => {
    if (ts.isShorthandPropertyAssignment(property)) return [[property.name.text, property.name]]
    return ts.isPropertyAssignment(property) ? [[property.name.getText(), property.initializer]] : []
  })
  return new Map(members)
}

/** The expression of a member. A variable stands for the last one of that name before its use. */
function valueOf(member: ts.Node | undefined, use: ts.Node): ts.Node | undefined {
  if (member === undefined || !ts.isIdentifier(member)) return member
  let value: ts.Node | undefined
  const visit = (node: ts.Node): void => {
    if (node.pos > use.pos) return
    if (ts.isVariableDeclaration(node) && node.name.getText() === member.text) value = node.initializer
    ts.forEachChild(node, visit)
  }
  visit(use.getSourceFile())
  return value
}

function literalsIn(node: ts.Node | undefined): string[] {
  if (node === undefined) return []
  if (ts.isStringLiteral(node)) return [node.text]
  if (ts.isConditionalExpression(node)) return [...literalsIn(node.whenTrue), ...literalsIn(node.whenFalse)]
  return []
}

/** The names of fields that the sources state. Those of a spread value are unknown here. */
function namesOf(node: ts.Node | undefined): string[] {
  return node !== undefined && ts.isObjectLiteralExpression(node) ? [...membersOf(node).keys()] : []
}

function eventsOfPage(): Map<string, ReportedEvent> {
  const rows = readFileSync(join(ROOT, PAGE), 'utf8').split('\n')
  return new Map(
    rows.flatMap((row): [string, ReportedEvent][] => {
      const [, name = '', levels = '', fields = '', also = ''] = row.split('|')
      const words = (cell: string): string[] => [...cell.matchAll(/`([\w.]+)`/g)].map(([, word = '']) => word)
      const [eventName] = words(name)
      if (eventName === undefined) return []
      const event = { levels: new Set(words(levels)), fields: new Set(words(fields)), also: new Set(words(also)) }
      return [[eventName, event]]
    }),
  )
}

describe('the page of telemetry', () => {
  const [stated, listed] = [eventsOfSources(), eventsOfPage()]

  it('lists each event of the sources, and no other', () => {
    expect([...listed.keys()].sort()).toEqual([...stated.keys()].sort())
    expect(listed.size).toBeGreaterThan(20)
  })

  it.each([...stated])('lists the levels and the fields of %s', (name, { levels, fields, also }) => {
    const event = listed.get(name)
    expect([...(event?.levels ?? [])].sort()).toEqual([...levels].sort())
    expect([...(event?.also ?? [])].sort()).toEqual([...also].sort())
    expect([...(event?.fields ?? [])]).toEqual(expect.arrayContaining([...fields]))
  })
})
