import type { Knex } from 'knex'
import {
  type DocumentFilter,
  type KeyRule,
  keyRulesOf,
  passesTests,
  type ValueTests,
} from '../../../src/ports/index.js'
import { quoted } from '../tables.js'
import type { Session } from './knex-repository.js'
import { beginningOf, INDEXED_CHARACTERS, isShort } from './metadata-rows.js'

/** The greatest value of the indexed column. */
const LAST_TEXT = '\u{10FFFF}'.repeat(INDEXED_CHARACTERS)
/** The number of every test that no row of a document may pass. The tests that a row must pass count from 1. */
const REFUSED = 0

/** Strings of a key between two values of the index. The whole strings decide between equal beginnings. */
type TextProbe = readonly [
  test: number,
  key: string,
  low: string,
  high: string,
  least: string | null,
  most: string | null,
  above: string | null,
  below: string | null,
]
/** Values of a key between two numbers, which have a place in a list. */
type NumberProbe = readonly [
  test: number,
  key: string,
  type: 'number' | 'boolean',
  low: number,
  high: number,
  isAbove: 0 | 1,
  isBelow: 0 | 1,
]

/** A part of a statement, with its values. */
interface Statement {
  readonly sql: string
  readonly bindings: readonly Knex.RawBinding[]
}

/** Conditions as ranges of the index of metadata. A document passes a test if one of its rows is in one of its ranges. */
class MetadataProbes {
  readonly #keys: (readonly [test: number, key: string])[] = []
  readonly #texts: TextProbe[] = []
  readonly #numbers: NumberProbe[] = []
  /** Places of numbers. SQLite rounds some numbers that it reads as text, so they are bound as values of their own. */
  readonly #places = new Map<number, number>()
  /** The number of tests that a document must pass. */
  readonly #wanted: number
  readonly #hasRefused: boolean
  #json: readonly string[] | undefined

  constructor(rules: readonly KeyRule[]) {
    let wanted = 0
    for (const { key, exists, some, none } of rules) {
      if (some !== undefined) this.#add((wanted += 1), key, some)
      // A value that passes a test exists.
      if (exists === true && some === undefined) this.#keys.push([(wanted += 1), key])
      if (exists === false) this.#keys.push([REFUSED, key])
      if (none !== undefined) this.#add(REFUSED, key, none)
    }
    this.#wanted = wanted
    this.#hasRefused = rules.some(({ exists, none }) => exists === false || none !== undefined)
  }

  /** True if every document meets the conditions. */
  get isEmpty(): boolean {
    return this.#wanted === 0 && !this.#hasRefused
  }

  /** True if documents without metadata may meet the conditions. */
  get onlyRefuses(): boolean {
    return this.#wanted === 0
  }

  /** Selects the ids of the versions to refuse if the conditions only refuse; otherwise of those that meet them. */
  select(session: Session, contextId: number): Statement {
    const { tables, arms } = this.#arms(session)
    const bindings = [...tables.flatMap((table) => table.bindings), ...arms.map(() => contextId)]
    const rows = arms.length === 0 ? 'select 1 as test, 0 as document_id where 1 = 0' : arms.join(' union all ')
    const names = tables.length === 0 ? '' : `with ${tables.map(({ sql }) => sql).join()} `
    if (this.#wanted <= 1 && (this.onlyRefuses || !this.#hasRefused)) {
      return { sql: `${names}select distinct document_id as id from (${rows}) as passed`, bindings }
    }
    return {
      sql:
        `${names}select document_id as id from (${rows}) as passed group by document_id` +
        ` having min(test) > ${REFUSED} and count(distinct test) = ?`,
      bindings: [...bindings, this.#wanted],
    }
  }

  #add(test: number, key: string, tests: ValueTests): void {
    const { in: values, ...bounds } = tests
    if (values === undefined) {
      this.#addRange(test, key, bounds)
      return
    }
    for (const value of new Set(values)) {
      if (!passesTests(value, bounds)) continue
      if (typeof value === 'string') {
        const [low, whole] = isShort(value) ? [value, null] : [beginningOf(value), value]
        this.#texts.push([test, key, low, low, whole, whole, null, null])
      } else {
        const place = this.#placeOf(Number(value))
        this.#numbers.push([test, key, typeof value === 'number' ? 'number' : 'boolean', place, place, 0, 0])
      }
    }
  }

  #addRange(test: number, key: string, { gte, gt, lte, lt }: ValueTests): void {
    const given = [gte, gt, lte, lt].filter((bound) => bound !== undefined)
    const texts = [gte, gt, lte, lt].map((bound) => (typeof bound === 'string' ? bound : undefined))
    const numbers = [gte, gt, lte, lt].map((bound) => (typeof bound === 'number' ? bound : undefined))
    const isAll = (kept: readonly unknown[]) => kept.filter((bound) => bound !== undefined).length === given.length
    // No value compares with both a string and a number.
    if (isAll(texts)) this.#addTexts(test, key, texts)
    else if (isAll(numbers)) this.#addNumbers(test, key, numbers)
  }

  #addTexts(test: number, key: string, [gte, gt, lte, lt]: readonly (string | undefined)[]): void {
    const low = beginningOf(gte ?? gt ?? '')
    const upper = lte ?? lt
    const high = upper === undefined ? LAST_TEXT : beginningOf(upper)
    const unlessShort = (bound: string | undefined) => (bound === undefined || isShort(bound) ? null : bound)
    this.#texts.push([test, key, low, high, unlessShort(gte), unlessShort(lte), gt ?? null, lt ?? null])
  }

  #addNumbers(test: number, key: string, bounds: readonly (number | undefined)[]): void {
    const [gte = -Number.MAX_VALUE, gt = -Infinity, lte = Number.MAX_VALUE, lt = Infinity] = bounds
    const [isAbove, isBelow] = [gt >= gte, lt <= lte]
    const [low, high] = [this.#placeOf(isAbove ? gt : gte), this.#placeOf(isBelow ? lt : lte)]
    this.#numbers.push([test, key, 'number', low, high, isAbove ? 1 : 0, isBelow ? 1 : 0])
  }

  #placeOf(number: number): number {
    const place = this.#places.get(number) ?? this.#places.size
    this.#places.set(number, place)
    return place
  }

  /** The lists of probes, and for each list the statement that finds the rows of metadata in its ranges. */
  #arms({ name, dialect }: Session): { readonly tables: readonly Statement[]; readonly arms: readonly string[] } {
    // A search of many contexts asks for the same probes in each.
    const [keys = '', texts = '', numbers = ''] = (this.#json ??= [this.#keys, this.#texts, this.#numbers].map((list) =>
      JSON.stringify(list),
    ))
    const metadata = quoted(name('metadata'))
    const tables: Statement[] = []
    const arms: string[] = []
    const addArm = (list: string, columns: readonly string[], json: string, range: string, joined = ''): void => {
      const values = columns.map((column, at) => `${valueAt(at, column)} as ${column}`)
      // Materialized: each item is parsed once.
      const sql = `${list} as materialized (select ${values.join()} from ${dialect.jsonItems})`
      tables.push({ sql, bindings: [json] })
      const rows = dialect.rowsOfEach(metadata, `m.context_id = ? and m.key = probe.key${range}`)
      arms.push(`select probe.test, m.document_id from ${list} as probe${joined} ${rows}`)
    }
    if (this.#keys.length > 0) addArm('keys', ['test', 'key'], keys, '')
    if (this.#texts.length > 0) {
      addArm('texts', ['test', 'key', 'low', 'high', 'least', 'most', 'above', 'below'], texts, IN_TEXTS)
    }
    if (this.#numbers.length > 0) {
      const bindings = [...this.#places.keys()]
      const values = bindings.map((_, place) => `(${place}, cast(? as double precision))`)
      tables.push({ sql: `numbers(place, number) as materialized (values ${values.join()})`, bindings })
      const columns = ['test', 'key', 'type', 'n_low', 'n_high', 'n_above', 'n_below']
      addArm('ranges', columns, numbers, IN_NUMBERS, WITH_NUMBERS)
    }
    return { tables, arms }
  }
}

function valueAt(at: number, column: string): string {
  return column === 'test' || column.startsWith('n_') ? `cast(value ->> ${at} as integer)` : `value ->> ${at}`
}

const WHOLE = 'coalesce(m.long_text, m.text)'
const IN_TEXTS = ` and m.type = 'string' and m.text >= probe.low and m.text <= probe.high
  and (probe.least is null or ${WHOLE} >= probe.least) and (probe.most is null or ${WHOLE} <= probe.most)
  and (probe.above is null or ${WHOLE} > probe.above) and (probe.below is null or ${WHOLE} < probe.below)`
const WITH_NUMBERS = ' join numbers as low on low.place = probe.n_low join numbers as high on high.place = probe.n_high'
const IN_NUMBERS = ` and m.type = probe.type and m.number >= low.number and m.number <= high.number
  and (probe.n_above = 0 or m.number > low.number) and (probe.n_below = 0 or m.number < high.number)`

/** Conditions never change, and a search of many contexts has the same ones for each. */
const known = new WeakMap<DocumentFilter, MetadataProbes>()

/** @returns the probes of the conditions on the metadata */
export function probesOf(filter: DocumentFilter): MetadataProbes {
  const probes = known.get(filter) ?? new MetadataProbes(keyRulesOf(filter))
  known.set(filter, probes)
  return probes
}
