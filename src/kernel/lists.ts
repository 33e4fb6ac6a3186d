import type { z } from 'zod'
import { integerSchema, objectSchema, validate } from './validate.js'

/** A part of a list that is ordered by id. Default: the whole list. */
export interface ListQuery {
  /** 1 to 1,000 items; default all. */
  readonly limit?: number
  /** Only items with a higher id. For the next page: the id of the last item. Default 0. */
  readonly after?: number
}

/** One page of a list. Its items are read while the caller iterates. */
export interface ListPage<Item> {
  readonly items: AsyncIterable<Item>
  /** `after` of the next page. Null on the last page, and without a `limit`. */
  readonly nextAfter: number | null
}

/** A part of rows that have an order. */
interface RowPart<Position> {
  /** Only rows behind this position. */
  readonly after: Position
  /** The last position. Default: no limit. */
  readonly upTo?: Position
  /** Most rows. */
  readonly limit: number
  /** Bytes of text after which no further row is returned. The first row is always returned. Default: no limit. */
  readonly maxBytes?: number
}

/** Rows of one read, in the order of their ids. */
export type RowPage = RowPart<number>

/** The source of a list's items. Each call is a separate read, and checks the rights of the caller. */
interface RowSource<Item> {
  /** Returns an empty array when no row is left. */
  readonly read: (page: RowPage) => Promise<readonly Item[]>
  /** The ids of the items that {@link read} would return. */
  readonly ids: (page: Pick<RowPage, 'after' | 'limit'>) => Promise<readonly number[]>
}

/** The source of items that have an order. Each call is a separate read, and checks the rights of the caller. */
interface OrderedSource<Item, Position> {
  /** The position before the first item. */
  readonly start: Position
  /** Returns an empty array when no row is left. */
  readonly read: (part: RowPart<Position>) => Promise<readonly Item[]>
  /** The positions of the items that {@link read} would return. */
  readonly positions: (part: Pick<RowPart<Position>, 'after' | 'limit'>) => Promise<readonly Position[]>
  readonly positionOf: (item: Item) => Position
}

/** A part of an ordered list. */
interface OrderedQuery<Position> {
  /** Most items. Default: all. */
  readonly limit?: number | undefined
  /** Only items behind this position. Default: from the beginning. */
  readonly after?: Position | undefined
}

const MAX_LIMIT = 1_000
/** Small reads for a reader that may be slow: memory holds about one large row. */
const SMALL_READS = { limit: 50, maxBytes: 65_536 }
const LARGE_READS = { limit: 500, maxBytes: 4_194_304 }
/** A reader that keeps an item for longer gets the next ones from a new read, with the rights of that moment. */
export const SLOW_READER_MS = 0.25

const LIST_QUERY_SHAPE = {
  limit: integerSchema({ min: 1, max: MAX_LIMIT }).meta({ description: 'Most items. Without it, all' }).optional(),
  after: integerSchema({ min: 0 }).meta({ description: 'The id of the last item of the page before' }).optional(),
}

/** A schema with `limit`, `after` and further members of a list's query. */
export function listQuerySchemaWith<Shape extends z.ZodRawShape>(
  shape: Shape,
): z.ZodType<ListQuery & z.infer<z.ZodObject<Shape>>> {
  return objectSchema({ ...shape, ...LIST_QUERY_SHAPE }) as unknown as z.ZodType<
    ListQuery & z.infer<z.ZodObject<Shape>>
  >
}

export const listQuerySchema: z.ZodType<ListQuery> = listQuerySchemaWith({})

/**
 * A list that is read in small parts, each with the rights of its moment. No transaction stays open between two reads.
 * An item that is deleted between them is left out. An item that is added may appear. No item appears twice, unless its
 * position changes meanwhile.
 */
export class OrderedList<Item, Position> {
  constructor(private readonly source: OrderedSource<Item, Position>) {}

  /** @returns the same list, whose reads each run through `run` */
  through(run: Run): OrderedList<Item, Position> {
    const { read, positions, ...source } = this.source
    return new OrderedList({
      ...source,
      read: async (part) => await run(async () => await read(part)),
      positions: async (part) => await run(async () => await positions(part)),
    })
  }

  /** @throws the errors of the source */
  async list(query: OrderedQuery<Position> = {}): Promise<Item[]> {
    const items: Item[] = []
    for await (const item of this.#items(query, LARGE_READS)) items.push(item)
    return items
  }

  /** Reads a part when the caller asks for its first item. @throws as {@link list} */
  async *entries(query: OrderedQuery<Position> = {}): AsyncGenerator<Item> {
    yield* this.#items(query, SMALL_READS)
  }

  /** @returns the items, and the position of the last one if more items follow. @throws as {@link list} */
  async page(
    query: OrderedQuery<Position>,
  ): Promise<{ readonly items: AsyncIterable<Item>; readonly next: Position | null }> {
    const { after = this.source.start, limit } = query
    if (limit === undefined) return { items: this.entries({ after }), next: null }
    const positions = await this.source.positions({ after, limit: limit + 1 })
    const upTo = positions.length > limit ? positions[limit - 1] : undefined
    const items = this.#items({ after, limit, ...(upTo !== undefined && { upTo }) }, SMALL_READS)
    return { items, next: upTo ?? null }
  }

  async *#items(
    query: OrderedQuery<Position> & Pick<RowPart<Position>, 'upTo'>,
    read: Pick<RowPage, 'limit' | 'maxBytes'>,
  ): AsyncGenerator<Item> {
    const { limit = Infinity, after: first = this.source.start, upTo } = query
    const bound = { ...read, ...(upTo !== undefined && { upTo }) }
    let [remaining, after, perRead] = [limit, first, read.limit]
    while (remaining > 0) {
      const rows = await this.source.read({ ...bound, after, limit: Math.min(remaining, perRead) })
      if (rows.length === 0) return
      let taken = 0
      for (const row of rows) {
        const givenAt = performance.now()
        yield row
        taken += 1
        after = this.source.positionOf(row)
        if (performance.now() - givenAt > SLOW_READER_MS) break
      }
      remaining -= taken
      perRead = Math.min(read.limit, 2 * taken)
    }
  }
}

/** Runs work, for example in a turn. */
export type Run = <Result>(work: () => Promise<Result>) => Promise<Result>

/** An {@link OrderedList} in the order of ids. No item appears twice. */
export class RowList<Item extends { readonly id: number }> {
  readonly #rows: OrderedList<Item, number>

  constructor(private readonly source: RowSource<Item>) {
    const { read, ids } = source
    this.#rows = new OrderedList({ start: 0, read, positions: ids, positionOf: ({ id }) => id })
  }

  /** As {@link OrderedList.through}. */
  through(run: Run): RowList<Item> {
    const { read, ids } = this.source
    return new RowList({
      read: async (page) => await run(async () => await read(page)),
      ids: async (page) => await run(async () => await ids(page)),
    })
  }

  /** @throws InvalidInputError, and the errors of the source */
  async list(query: ListQuery = {}): Promise<Item[]> {
    return await this.#rows.list(validate(listQuerySchema, query))
  }

  /** Reads a part when the caller asks for its first item. @throws as {@link list} */
  async *entries(query: ListQuery = {}): AsyncGenerator<Item> {
    yield* this.#rows.entries(validate(listQuerySchema, query))
  }

  /** @throws as {@link list} */
  async page(query: ListQuery): Promise<ListPage<Item>> {
    const { items, next } = await this.#rows.page(validate(listQuerySchema, query))
    return { items, nextAfter: next }
  }
}

/** A row, or only its id. */
type RowOrId = number | { readonly id: number }

/** Reads rows or ids in ascending order of their ids, page by page, until none is left. */
export async function* pages<Row extends RowOrId>(
  size: number,
  read: (page: { readonly after: number; readonly limit: number }) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  let after = 0
  for (;;) {
    const rows = await read({ after, limit: size })
    if (rows.length > 0) yield rows
    const last = rows.at(-1)
    if (rows.length < size || last === undefined) return
    after = idOf(last)
  }
}

function idOf(row: RowOrId): number {
  return typeof row === 'number' ? row : row.id
}
