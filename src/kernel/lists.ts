import type { z } from 'zod'
import { integerSchema, objectSchema, validate } from './validate.js'

/** A part of a list that is ordered by id; default all of it. */
export interface ListQuery {
  /** 1 to 1,000 items; default all. */
  readonly limit?: number
  /** Only items with a higher id, such as the last one of the page before; default 0. */
  readonly after?: number
}

/** Items of one page, which come as they are asked for, and where the next page begins. */
export interface ListPage<Item> {
  readonly items: AsyncIterable<Item>
  /** `after` of the next page; null where there is none, or no `limit` was given. */
  readonly nextAfter: number | null
}

/** Rows that are read at once, in the order of their ids. */
export interface RowPage {
  /** Only rows with a higher id. */
  readonly after: number
  /** The highest id; default any. */
  readonly upTo?: number
  /** Most rows. */
  readonly limit: number
  /** Bytes of text after which no further row is given; the first one is given in any case. Default: no limit. */
  readonly maxBytes?: number
}

/** Where the items of a list come from. Each call is a read of its own, and checks the rights of whoever reads. */
interface RowSource<Item> {
  /** None where no row is left. */
  readonly read: (page: RowPage) => Promise<readonly Item[]>
  /** Ids of what {@link read} would give. */
  readonly ids: (page: Pick<RowPage, 'after' | 'limit'>) => Promise<readonly number[]>
}

const MAX_LIMIT = 1_000
/** Rows held for a reader who may be slow: about one of those that are large. */
const FOR_SLOW_READERS = { limit: 50, maxBytes: 65_536 }
const FOR_ARRAYS = { limit: 500, maxBytes: 4_194_304 }

const LIST_QUERY_SHAPE = {
  limit: integerSchema({ min: 1, max: MAX_LIMIT }).optional(),
  after: integerSchema({ min: 0 }).optional(),
}

/** `limit` and `after` of a list, and further members of its query. */
export function listQuerySchemaWith<Shape extends z.ZodRawShape>(
  shape: Shape,
): z.ZodType<ListQuery & z.infer<z.ZodObject<Shape>>> {
  return objectSchema({ ...shape, ...LIST_QUERY_SHAPE }) as unknown as z.ZodType<
    ListQuery & z.infer<z.ZodObject<Shape>>
  >
}

export const listQuerySchema: z.ZodType<ListQuery> = listQuerySchemaWith({})

/**
 * A list that is read in small parts, ordered by id. Nothing is held open between two of them: an item that is deleted
 * meanwhile is left out, one that is added may come, and none comes twice.
 */
export class RowList<Item extends { readonly id: number }> {
  readonly #source: RowSource<Item>

  constructor(source: RowSource<Item>) {
    this.#source = source
  }

  /** @throws InvalidInputError, and as the source */
  async list(query: ListQuery = {}): Promise<Item[]> {
    const items: Item[] = []
    for await (const item of this.#items(validate(listQuerySchema, query), FOR_ARRAYS)) items.push(item)
    return items
  }

  /** Reads a part when it is asked for the first item of it. @throws as {@link list} */
  async *entries(query: ListQuery = {}): AsyncGenerator<Item> {
    yield* this.#items(validate(listQuerySchema, query), FOR_SLOW_READERS)
  }

  /** @throws as {@link list} */
  async page(query: ListQuery): Promise<ListPage<Item>> {
    const { after = 0, limit } = validate(listQuerySchema, query)
    if (limit === undefined) return { items: this.entries({ after }), nextAfter: null }
    const ids = await this.#source.ids({ after, limit: limit + 1 })
    const upTo = ids.length > limit ? ids[limit - 1] : undefined
    const items = this.#items({ after, limit, ...(upTo !== undefined && { upTo }) }, FOR_SLOW_READERS)
    return { items, nextAfter: upTo ?? null }
  }

  async *#items(
    query: ListQuery & Pick<RowPage, 'upTo'>,
    atOnce: Pick<RowPage, 'limit' | 'maxBytes'>,
  ): AsyncGenerator<Item> {
    const { limit = Infinity, after: first = 0, ...bound } = query
    let [left, after] = [limit, first]
    while (left > 0) {
      const rows = await this.#source.read({ ...bound, ...atOnce, after, limit: Math.min(left, atOnce.limit) })
      const last = rows.at(-1)
      if (last === undefined) return
      yield* rows
      left -= rows.length
      after = last.id
    }
  }
}

/** A row, or its id alone. */
type Numbered = number | { readonly id: number }

/** What ascends by id, page by page, until there is no more. */
export async function* pages<Row extends Numbered>(
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

function idOf(row: Numbered): number {
  return typeof row === 'number' ? row : row.id
}
