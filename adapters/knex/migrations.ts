import type { Knex } from 'knex'
import type { Dialect } from './dialect.js'
import { initial } from './migrations/0001-initial.js'
import { passwordsAndMails } from './migrations/0002-passwords-and-mails.js'
import { hiddenDocuments } from './migrations/0003-hidden-documents.js'
import { claims } from './migrations/0004-claims.js'
import { outbox } from './migrations/0005-outbox.js'
import { bigIntegers } from './migrations/0006-big-integers.js'
import { rates } from './migrations/0007-rates.js'
import { audit } from './migrations/0008-audit.js'
import { identities } from './migrations/0009-identities.js'
import { oneTimePasswords } from './migrations/0010-one-time-passwords.js'
import { liveRows } from './migrations/0011-live-rows.js'
import { revokedTokens } from './migrations/0012-revoked-tokens.js'
import { lifecycle } from './migrations/0013-lifecycle.js'
import { words } from './migrations/0014-words.js'
import { wordsAnew } from './migrations/0015-words-anew.js'
import type { NameTable } from './tables.js'

/** One step from a version of the schema to the next. A released migration never changes. */
export type Migration = (schema: Knex.SchemaBuilder, name: NameTable, dialect: Dialect) => Knex.SchemaBuilder

/** All migrations in their order. The version of a schema is the number of migrations that were run. */
export const MIGRATIONS: readonly Migration[] = [
  initial,
  passwordsAndMails,
  hiddenDocuments,
  claims,
  outbox,
  bigIntegers,
  rates,
  audit,
  identities,
  oneTimePasswords,
  liveRows,
  revokedTokens,
  lifecycle,
  words,
  wordsAnew,
]
