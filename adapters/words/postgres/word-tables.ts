import type { Knex } from 'knex'
import { CollectionCatalog } from '../../node-kit/index.js'

/** The tables of a collection. */
export interface WordTable {
  /** The id of the collection's row in the catalog. No other collection ever has the same id, not even one of the same name. */
  readonly id: string
  /** Rows of (term, level, postings), any number for each term. */
  readonly postings: string
  /** Runs: chunks of one document with consecutive ordinals and numbers. A chunk in no run is deleted. */
  readonly runs: string
  /** One row: the number of the next chunk, and the number of deleted chunks that still have postings. */
  readonly state: string
  /** The terms that can have similar ones, with their ids. A term may be there for a while without postings. */
  readonly terms: string
  /** The parts of the terms, in buckets: see `gram-entries.ts`. Rows without a bucket wait for their merging. */
  readonly grams: string
}

/** The tables of a database that store words, and their catalog. */
export class WordTables extends CollectionCatalog<{ readonly id: string }, WordTable> {
  constructor(
    knex: Knex,
    private readonly prefix: string,
  ) {
    super(knex, {
      catalog: `${prefix}word_collections`,
      tablesOf: ({ id }) => tableOf(prefix, id),
      dropTables: async (transaction, id) => {
        const { postings, runs, state, terms, grams } = tableOf(prefix, id)
        await transaction.raw('drop table if exists ??, ??, ??, ??, ??', [state, runs, postings, terms, grams])
      },
    })
  }

  /** Finds the tables of a collection, or creates them. */
  async findOrMake(collection: string): Promise<WordTable> {
    return await this.findOrCreate(
      collection,
      {},
      async (transaction, id) => await makeTables(transaction, tableOf(this.prefix, id)),
    )
  }
}

function tableOf(prefix: string, id: string): WordTable {
  const postings = `${prefix}words_${id}`
  return {
    id,
    postings,
    runs: `${postings}_runs`,
    state: `${postings}_state`,
    terms: `${postings}_terms`,
    grams: `${postings}_grams`,
  }
}

async function makeTables(
  transaction: Knex.Transaction,
  { postings, runs, state, terms, grams }: WordTable,
): Promise<void> {
  await transaction.raw(
    'create table ?? (term text collate "C" not null, level smallint not null, postings bytea not null)',
    [postings],
  )
  // Compression costs each search more time than reading saves.
  await transaction.raw('alter table ?? alter column postings set storage external', [postings])
  await transaction.raw('create index on ?? (term, level)', [postings])
  await transaction.raw(
    `create table ?? (first bigint primary key, document bigint not null, chunk integer not null,
     chunks integer not null, lengths integer[] not null, length bigint not null)`,
    [runs],
  )
  await transaction.raw('create index on ?? (document, chunk)', [runs])
  await transaction.raw(
    'create table ?? (next bigint not null default 0, deleted bigint not null default 0) with (fillfactor = 50)',
    [state],
  )
  await transaction.raw('insert into ?? default values', [state])
  await transaction.raw(
    'create table ?? (id integer generated always as identity primary key, term text collate "C" not null unique)',
    [terms],
  )
  await transaction.raw('create table ?? (bucket integer unique, entries bytea not null)', [grams])
  await transaction.raw('alter table ?? alter column entries set storage external', [grams])
}
