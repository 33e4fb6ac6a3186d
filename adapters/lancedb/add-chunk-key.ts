import { CHUNK_KEY } from './document-predicates.js'
import type { OpenTable } from './open-table.js'

/** Adds the column {@link CHUNK_KEY} to a table that an earlier version made. */
export async function addChunkKey({ table, writer }: OpenTable): Promise<void> {
  const hasKey = async (): Promise<boolean> => (await table.schema()).fields.some(({ name }) => name === CHUNK_KEY)
  if (await hasKey()) return
  const valueSql = 'cast(document as bigint) * 4294967296 + cast(chunk as bigint)'
  await writer.exclusively(async () => {
    if (!(await hasKey())) await table.addColumns([{ name: CHUNK_KEY, valueSql }])
  })
}
