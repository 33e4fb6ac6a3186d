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
