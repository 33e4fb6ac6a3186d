/** What a row of a table holds, before it is one of the core's records. */
export type Row = Readonly<Record<string, unknown>>

/** Columns as the drivers give them: SQLite has no booleans, PostgreSQL gives big integers as strings. */
export function number(row: Row, column: string): number {
  return Number(row[column])
}

export function numberOrNull(row: Row, column: string): number | null {
  return row[column] === null ? null : Number(row[column])
}

export function text(row: Row, column: string): string {
  return row[column] as string
}

export function textOrNull(row: Row, column: string): string | null {
  return row[column] === null ? null : text(row, column)
}

export function boolean(row: Row, column: string): boolean {
  return Boolean(row[column])
}

/** Bytes, of which the drivers give their own kinds. */
export function bytes(row: Row, column: string): Uint8Array {
  return new Uint8Array(row[column] as Uint8Array)
}

/** A list of strings, kept as JSON. */
export function texts(row: Row, column: string): readonly string[] {
  return JSON.parse(text(row, column)) as readonly string[]
}
