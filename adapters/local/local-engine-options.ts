import { resolve } from 'node:path'
import type { Knex } from 'knex'
import { type EngineOptions, InvalidInputError } from '../../src/index.js'
import type { HttpsTransportOptions } from '../https-transport/index.js'

export interface LocalEngineOptions extends Partial<Omit<EngineOptions, 'isAlone' | 'isShared'>> {
  /** Holds everything the engine keeps; made if it is not there. */
  readonly dataDir: string
  /** Folders of embedding models; the first is the default. Default: the bundled all-MiniLM-L6-v2. */
  readonly modelDirs?: readonly string[]
  /** File with the keys that sign access tokens. Default: `keys/signing-keys.json` in the folder, made with mode 0600. */
  readonly signingKeyFile?: string
  /**
   * File with the key that signing secrets of destinations are encrypted with: 32 bytes as base64, such as
   * `openssl rand -base64 32` makes. Default: `keys/secret-key` in the folder, made with mode 0600.
   */
  readonly secretKeyFile?: string
  /**
   * Connections to a database of the host's own, SQLite or PostgreSQL, in which the tables are then kept: events
   * can be recorded in its transactions. Default: `alcove.sqlite` in the folder. The host destroys them, after the
   * engine is closed. Engines of other folders may work on the database: what a dead process held is then taken
   * up when its leases run out.
   */
  readonly knex?: Knex
  /**
   * A PostgreSQL database in which everything relational is then kept, such as
   * `postgresql://user:password@host:5432/database`. Any number of processes may work with one database and one folder
   * at a time, which holds files and keys for all of them. Vectors are in the database where its server has pgvector
   * 0.8 or newer, otherwise in the folder, where the processes write in turn. Default: `alcove.sqlite` in the folder.
   */
  readonly databaseUrl?: string
  /**
   * A bucket of S3, or of a server that speaks its protocol, in which the files are then kept, as they were received:
   * `s3://bucket` or `s3://bucket/prefix`. Needs `@aws-sdk/client-s3` and `@aws-sdk/lib-storage`, which read server,
   * region and credentials from the environment (`AWS_ENDPOINT_URL_S3`, `AWS_REGION`, `AWS_ACCESS_KEY_ID`, ...).
   * Decided when the database is new. Default: `files` in the folder.
   */
  readonly filesUrl?: string
  /** Put before every table's name; default `alcove_`. */
  readonly tablePrefix?: string
  /** Where events may be sent to beside public addresses, and what is never a destination. */
  readonly webhooks?: Pick<
    HttpsTransportOptions,
    'allow' | 'deny' | 'ownEndpoints' | 'resolver' | 'certificateAuthorities'
  >
}

/** In plain JavaScript anything may come; an empty path would mean the current folder. */
export function dataDirOf(options: unknown): string {
  const { dataDir } = (options ?? {}) as { readonly dataDir?: unknown }
  if (typeof dataDir === 'string' && dataDir.trim() !== '') return resolve(dataDir)
  throw new InvalidInputError('dataDir', "must be the path of a folder, such as openLocalEngine({ dataDir: './data' })")
}
