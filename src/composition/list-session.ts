import type { ListPage, ListQuery, RowList } from '../shared/row-list.js'

/** The ways to read a list: whole, one after the other, and page by page. */
export interface ListOperations<Of extends readonly unknown[], Item> {
  list(...given: [...Of, query?: ListQuery]): Promise<Item[]>
  entries(...given: [...Of, query?: ListQuery]): AsyncIterable<Item>
  page(...given: [...Of, query: ListQuery]): Promise<ListPage<Item>>
}

/** @param rowsOf the list of what is named by as many arguments as it takes, before the query */
export function listOperations<Of extends readonly [number?], Item extends { readonly id: number }>(
  rowsOf: (...of: Of) => RowList<Item>,
): ListOperations<Of, Item> {
  const split = (given: readonly unknown[]): [RowList<Item>, ListQuery | undefined] => {
    return [rowsOf(...(given.slice(0, rowsOf.length) as unknown as Of)), given[rowsOf.length] as ListQuery | undefined]
  }
  return {
    list: async (...given) => {
      const [rows, query] = split(given)
      return await rows.list(query)
    },
    entries: (...given) => {
      const [rows, query] = split(given)
      return rows.entries(query)
    },
    page: async (...given) => {
      const [rows, query] = split(given)
      return await rows.page(query ?? {})
    },
  }
}
