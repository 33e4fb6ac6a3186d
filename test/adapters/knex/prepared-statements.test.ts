import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSqlite } from '../../../adapters/knex/index.js'
import { temporaryFolder } from '../../temporary-folder.js'

type Row = Readonly<Record<string, unknown>>

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let database: ReturnType<typeof openSqlite>

beforeEach(async () => {
  folder = await temporaryFolder()
  database = openSqlite(join(folder.path, 'kept.sqlite'))
  await database.raw('create table notes (id integer primary key, text text unique)')
})

afterEach(async () => {
  await database.destroy()
  await folder.remove()
})

async function rows(sql: string, values: readonly (string | number)[] = []): Promise<Row[]> {
  return await database.raw<Row[]>(sql, [...values])
}

describe('the kept statements of an SQLite connection', () => {
  it('give the columns of a table that was changed since', async () => {
    await rows("insert into notes (text) values ('one')")
    expect(await rows('select * from notes')).toEqual([{ id: 1, text: 'one' }])
    await rows('alter table notes add column size integer default 7')
    expect(await rows('select * from notes')).toEqual([{ id: 1, text: 'one', size: 7 }])
    await rows('drop table notes')
    await expect(rows('select * from notes')).rejects.toThrow('no such table: notes')
  })

  it('work again after an error, and leave no lock behind', async () => {
    const add = 'insert into notes (text) values (?) returning id'
    expect(await rows(add, ['one'])).toEqual([{ id: 1 }])
    await expect(rows(add, ['one'])).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT' })
    await expect(rows('select absent from notes')).rejects.toThrow('no such column: absent')
    await expect(rows('select absent from notes')).rejects.toThrow('no such column: absent')
    expect(await rows(add, ['two'])).toEqual([{ id: 2 }])
    const other = openSqlite(join(folder.path, 'kept.sqlite'))
    await other.raw('vacuum')
    await other.destroy()
  })

  it('answer all concurrent calls of a statement that fails', async () => {
    await rows("insert into notes (text) values ('one')")
    const statements = ['select absent from notes', "insert into notes (text) values ('one') returning id"]
    await database.transaction(async (transaction) => {
      for (const statement of statements) {
        const outcomes = await Promise.allSettled([1, 2, 3].map(() => transaction.raw(statement)))
        expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
      }
    })
    expect(await rows('select text from notes')).toEqual([{ text: 'one' }])
  })

  it('are each used with their own values, concurrently and in transactions', async () => {
    await Promise.all(
      Array.from({ length: 100 }, (_, at) =>
        database.transaction(async (transaction) => {
          const found = await Promise.all([
            transaction.raw<Row[]>('select ? as value', [at]),
            transaction.raw<Row[]>('select ? as value', [at + 1_000]),
          ])
          expect(found).toEqual([[{ value: at }], [{ value: at + 1_000 }]])
        }),
      ),
    )
  })

  it('are replaced if there are many, and the connections can be closed', async () => {
    for (let round = 0; round < 2; round += 1) {
      for (let at = 0; at < 200; at += 1) expect(await rows(`select ${at} as value`)).toEqual([{ value: at }])
    }
    await database.destroy()
    database = openSqlite(join(folder.path, 'kept.sqlite'))
    expect(await rows('select count(*) as count from notes')).toEqual([{ count: 0 }])
  })
})
