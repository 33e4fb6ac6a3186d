import type { Table } from '@lancedb/lancedb'

/** What Lance calls the index on the vectors. */
export const VECTOR_INDEX = 'vector_idx'

/** Length of a table's vectors. */
export async function dimensionsOf(table: Table): Promise<number> {
  const field = (await table.schema()).fields.find(({ name }) => name === 'vector')
  const type = field?.type as { listSize?: number } | undefined
  return type?.listSize ?? 0
}

/** The vector index of a table: when it was built, and its segments; `undefined` where it has none. */
export async function vectorIndexOf(
  table: Table,
): Promise<{ readonly builtAt: string; readonly segments: number } | undefined> {
  const index = (await table.listIndices()).find(({ name }) => name === VECTOR_INDEX)
  return index && { builtAt: index.createdAt?.toISOString() ?? '', segments: index.numSegments ?? 1 }
}

/** When the vector index of a table was built; `undefined` where it has none. */
export async function vectorIndexBuiltAt(table: Table): Promise<string | undefined> {
  return (await vectorIndexOf(table))?.builtAt
}
