/** A row of a table as the driver gives it, by column. */
export type Row = Readonly<Record<string, unknown>>

/** Reads a number. PostgreSQL gives big integers as strings. */
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

/** Reads a boolean. SQLite gives 0 or 1. */
export function boolean(row: Row, column: string): boolean {
  return Boolean(row[column])
}

/** Reads bytes. The drivers give their own types. */
export function bytes(row: Row, column: string): Uint8Array {
  return new Uint8Array(row[column] as Uint8Array)
}

/** Reads a list of strings that is stored as JSON. */
export function texts(row: Row, column: string): readonly string[] {
  return JSON.parse(text(row, column)) as readonly string[]
}
