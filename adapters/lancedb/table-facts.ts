import type { Table } from '@lancedb/lancedb'

/** The name that Lance gives the vector index. */
export const VECTOR_INDEX = 'vector_idx'

/** The number of dimensions of a table's vectors. */
export async function readDimensions(table: Table): Promise<number> {
  const field = (await table.schema()).fields.find(({ name }) => name === 'vector')
  const type = field?.type as { listSize?: number } | undefined
  return type?.listSize ?? 0
}

/** The build time of a table's vector index, and the number of its segments; `undefined` for a table without one. */
export async function readVectorIndex(
  table: Table,
): Promise<{ readonly builtAt: string; readonly segments: number } | undefined> {
  const index = (await table.listIndices()).find(({ name }) => name === VECTOR_INDEX)
  return index && { builtAt: index.createdAt?.toISOString() ?? '', segments: index.numSegments ?? 1 }
}

/** The build time of a table's vector index; `undefined` for a table without one. */
export async function readIndexBuildTime(table: Table): Promise<string | undefined> {
  return (await readVectorIndex(table))?.builtAt
}
