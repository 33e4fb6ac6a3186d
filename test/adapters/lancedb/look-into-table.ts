import { connect, type Table } from '@lancedb/lancedb'

/** Reads a LanceDB table through its own connection, beside the index that writes it. */
export async function lookIntoTable<T>(folder: string, name: string, look: (table: Table) => Promise<T>): Promise<T> {
  const connection = await connect(folder)
  const seen = await look(await connection.openTable(name))
  connection.close()
  return seen
}
