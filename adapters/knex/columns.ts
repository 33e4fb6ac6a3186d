import { boolean, json, jsonOrNull, number, numberOrNull, type Row, text, textOrNull } from './tables.js'

/** The way in which values are stored in a column. */
export interface Column<Value> {
  readonly read: (row: Row, column: string) => Value
  /** Default: the value is written as it is. */
  write?(value: Value): unknown
}

export const INTEGER: Column<number> = { read: number }
export const INTEGER_OR_NULL: Column<number | null> = { read: numberOrNull }
/** A record leaves out the member whose column is null. */
export const OPTIONAL_INTEGER: Column<number | undefined> = {
  read: (row, column) => numberOrNull(row, column) ?? undefined,
}
export const BOOLEAN: Column<boolean> = { read: boolean }
export const TEXT: Column<string> = { read: text }
export const TEXT_OR_NULL: Column<string | null> = { read: textOrNull }

/** One of some words. Rows have no others. */
export function wordColumn<Word extends string>(): Column<Word> {
  return { read: (row, column) => text(row, column) as Word }
}

/** As {@link wordColumn}, or null. */
export function wordOrNullColumn<Word extends string>(): Column<Word | null> {
  return { read: (row, column) => textOrNull(row, column) as Word | null }
}

export function jsonColumn<Value>(): Column<Value> {
  return { read: (row, column) => json(row, column) as Value, write: (value) => JSON.stringify(value) }
}

export function jsonOrNullColumn<Value>(): Column<Value | null> {
  return {
    read: (row, column) => jsonOrNull(row, column) as Value | null,
    write: (value) => (value === null ? null : JSON.stringify(value)),
  }
}

/** The column of a member, such as `user_id` of `userId`. */
export function columnOf(member: string): string {
  return member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

interface NamedColumn extends Column<unknown> {
  readonly member: string
  readonly name: string
}

/** The columns of a kind of records: a row becomes a record, and members become a row. */
export class Columns<Members extends object> {
  readonly #columns: readonly NamedColumn[]

  constructor(columns: { readonly [Name in keyof Members]-?: Column<Members[Name]> }) {
    this.#columns = Object.entries<Column<unknown>>(columns).map(([member, column]) => {
      return { member, name: columnOf(member), ...column }
    })
  }

  readonly toRecord = (row: Row): Members => {
    const members: Record<string, unknown> = {}
    for (const column of this.#columns) {
      const value = column.read(row, column.name)
      if (value !== undefined) members[column.member] = value
    }
    return members as Members
  }

  /** The columns of the members that are given. */
  toRow(members: { readonly [Name in keyof Members]?: Members[Name] | undefined }): Row {
    const row: Record<string, unknown> = {}
    for (const column of this.#columns) {
      const value = (members as Readonly<Record<string, unknown>>)[column.member]
      if (value !== undefined) row[column.name] = column.write === undefined ? value : column.write(value)
    }
    return row
  }
}
