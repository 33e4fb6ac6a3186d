import { AlcoveError } from './alcove-error.js'

/** `init` was called on a data folder that already has an API key. */
export class AlreadyInitializedError extends AlcoveError {
  static override readonly className: string = 'AlreadyInitializedError'
  readonly code = 'ERR_ALREADY_INITIALIZED'
}

/** The data folder is not initialised. Run `alcove init`. */
export class NotInitializedError extends AlcoveError {
  static override readonly className: string = 'NotInitializedError'
  readonly code = 'ERR_NOT_INITIALIZED'
}

/** Another worker holds the job now, or the job is cancelled. This worker must not record its work. */
export class LeaseLostError extends AlcoveError {
  static override readonly className: string = 'LeaseLostError'
  readonly code = 'ERR_LEASE_LOST'
}

/** The process crashed several times while it ran a job, before it could record any progress. */
export class CrashedError extends AlcoveError {
  static override readonly className: string = 'CrashedError'
  readonly code = 'ERR_CRASHED'
}

/** The database or the file store failed. It kept nothing of the work. */
export class StorageError extends AlcoveError {
  static override readonly className: string = 'StorageError'
  readonly code = 'ERR_STORAGE'
  override readonly isTransient: boolean

  constructor(message: string, options: { readonly cause?: unknown; readonly isTransient: boolean }) {
    super(message, options)
    this.isTransient = options.isTransient
  }
}

/** A disk takes no more data for now. Nothing of the work was kept. Work waits until the disk takes data again. */
export abstract class DiskUnwritableError extends AlcoveError {
  static override readonly className: string = 'DiskUnwritableError'
  override readonly isTransient = true
}

/** A disk is full. */
export class StorageFullError extends DiskUnwritableError {
  static override readonly className: string = 'StorageFullError'
  readonly code = 'ERR_STORAGE_FULL'
}

/** A disk is read-only. */
export class StorageReadOnlyError extends DiskUnwritableError {
  static override readonly className: string = 'StorageReadOnlyError'
  readonly code = 'ERR_STORAGE_READ_ONLY'
}

/** A newer version of the engine has written the database. */
export class SchemaTooNewError extends AlcoveError {
  static override readonly className: string = 'SchemaTooNewError'
  readonly code = 'ERR_SCHEMA_TOO_NEW'
}

/** An unreleased version of the engine has made the database, and no migration leads from there. */
export class SchemaTooOldError extends AlcoveError {
  static override readonly className: string = 'SchemaTooOldError'
  readonly code = 'ERR_SCHEMA_TOO_OLD'
}

/** The process that works on a data folder. */
export interface DataDirHolder {
  readonly pid?: number | undefined
  /** The URL of its server, if `alcove serve` runs in it. */
  readonly address?: string | undefined
}

/** Another process uses the data folder. */
export class DataDirLockedError extends AlcoveError {
  static override readonly className: string = 'DataDirLockedError'
  readonly code = 'ERR_DATA_DIR_LOCKED'
  /** Undefined if this process itself has the folder open, or if a migration or a command works on it. */
  readonly holder: DataDirHolder | undefined

  constructor(
    message: string,
    options: { readonly cause?: unknown; readonly holder?: DataDirHolder | undefined } = {},
  ) {
    super(message, options)
    this.holder = options.holder
  }
}

/** The data folder cannot be created, read or written. */
export class DataDirUnusableError extends AlcoveError {
  static override readonly className: string = 'DataDirUnusableError'
  readonly code = 'ERR_DATA_DIR_UNUSABLE'
}

/**
 * A package has no native part for this system, or its install script has not run. The message names the package and the
 * commands.
 */
export class NativePartError extends AlcoveError {
  static override readonly className: string = 'NativePartError'
  readonly code = 'ERR_NATIVE_PART'
}

/** The data folder, the database and the bucket with files do not belong together. */
export class DataDirMismatchError extends AlcoveError {
  static override readonly className: string = 'DataDirMismatchError'
  readonly code = 'ERR_DATA_DIR_MISMATCH'
}

/** Another backup of the data folder is in progress. */
export class BackupRunningError extends AlcoveError {
  static override readonly className: string = 'BackupRunningError'
  readonly code = 'ERR_BACKUP_RUNNING'
  override readonly isTransient = true
}

/** A backup or a restore failed for an outside reason, such as a full disk. It leaves no files behind. */
export class BackupFailedError extends AlcoveError {
  static override readonly className: string = 'BackupFailedError'
  readonly code = 'ERR_BACKUP_FAILED'
}

/** A file is not a backup, is damaged, or comes from a newer version. */
export class BackupInvalidError extends AlcoveError {
  static override readonly className: string = 'BackupInvalidError'
  readonly code = 'ERR_BACKUP_INVALID'
}

/** The copy of a database differs from its source. The source is unchanged. */
export class MigrationFailedError extends AlcoveError {
  static override readonly className: string = 'MigrationFailedError'
  readonly code = 'ERR_MIGRATION_FAILED'
}

/** The engine or a part of it is closed. */
export class ClosedError extends AlcoveError {
  static override readonly className: string = 'ClosedError'
  readonly code = 'ERR_CLOSED'

  constructor(subject: string) {
    super(`${subject} is closed`)
  }
}

/** The file with the signing keys is unusable. */
export class SigningKeyError extends AlcoveError {
  static override readonly className: string = 'SigningKeyError'
  readonly code = 'ERR_SIGNING_KEY'
}

/** The secret-encryption key is missing or unusable, or is not the key that the secrets are encrypted with. */
export class SecretKeyError extends AlcoveError {
  static override readonly className: string = 'SecretKeyError'
  readonly code = 'ERR_SECRET_KEY'
}

/** A stored secret cannot be decrypted. */
export class SecretUnreadableError extends AlcoveError {
  static override readonly className: string = 'SecretUnreadableError'
  readonly code = 'ERR_SECRET_UNREADABLE'
}
