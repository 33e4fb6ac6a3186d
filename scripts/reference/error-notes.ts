/**
 * What the docstrings of the error classes do not say: what to do about each code, and what a code means whose class
 * has several.
 */
export interface ErrorNote {
  /** When the code comes; default the docstring of its class. */
  readonly when?: string
  /** What whoever gets it does. */
  readonly advice: string
  /** No answer of the REST API has it: it comes from a call of the library, from a command, or with a document. */
  readonly isOutsideHttp?: true
}

export interface ErrorGroup {
  readonly title: string
  readonly notes: Readonly<Record<string, ErrorNote>>
}

const LIST_ANEW = 'Check the id. List what there is, and take the id from there.'
const NEW_FILE = 'Save the file again with the program that made it, and upload the new file.'

export const ERROR_GROUPS: readonly ErrorGroup[] = [
  {
    title: 'Input',
    notes: {
      ERR_INVALID_INPUT: { advice: 'Correct the field that the message and `field` name.' },
      ERR_ALREADY_EXISTS: { advice: 'Use what is there, or choose another name, address or URL.' },
      ERR_IN_USE: { advice: 'Do first what the message names. Some things stay for good, such as the root company.' },
      ERR_LAST_MANAGER: { advice: 'Give another user a role with `tenant:manage` first.' },
      ERR_UNSUPPORTED: { advice: 'Follow the message: it names the package, the role or the command that is needed.' },
    },
  },
  {
    title: 'Who may do what',
    notes: {
      ERR_UNAUTHENTICATED: {
        advice:
          'Over HTTP, get a new access token. In a program, check that the company, the user and the account of the ' +
          'principal exist and are enabled.',
      },
      ERR_FORBIDDEN: {
        advice:
          'Ask somebody who manages the company for the right. `scope` names a capability that the token leaves out.',
      },
      ERR_OTP_REQUIRED: { advice: 'Ask the user for a code, and check the password and the code together.' },
      ERR_COMPANY_REQUIRED: { advice: 'Ask the user for the company, and pass its id as `companyId`.' },
      ERR_TOKEN_REQUEST: {
        advice:
          'Read `error`, which is a code of RFC 6749, and the message. `invalid_client` is answered with 401, the ' +
          'others with 400.',
      },
    },
  },
  {
    title: 'Things that are not there',
    notes: {
      ERR_CONTEXT_NOT_FOUND: { advice: LIST_ANEW },
      ERR_DOCUMENT_NOT_FOUND: { advice: LIST_ANEW },
      ERR_COMPANY_NOT_FOUND: { advice: LIST_ANEW },
      ERR_ACCOUNT_NOT_FOUND: { advice: LIST_ANEW },
      ERR_ROLE_NOT_FOUND: { advice: LIST_ANEW },
      ERR_USER_NOT_FOUND: { advice: LIST_ANEW },
      ERR_PERMISSION_NOT_FOUND: { advice: LIST_ANEW },
      ERR_API_KEY_NOT_FOUND: { advice: LIST_ANEW },
      ERR_DESTINATION_NOT_FOUND: { advice: LIST_ANEW },
      ERR_DELIVERY_NOT_FOUND: {
        advice: 'Check the id. The log keeps a delivery for 30 days, or for `deliveryRetentionDays`.',
      },
    },
  },
  {
    title: 'Limits',
    notes: {
      ERR_QUOTA_EXCEEDED: { advice: 'Delete documents of the context, or raise its `maxSize`.' },
      ERR_LIMIT_REACHED: {
        advice: 'Delete what is no longer needed. The operator can raise the limit that the message names.',
      },
      ERR_THROTTLED: { advice: 'Wait for `retryAfterSeconds`, the header `Retry-After` over HTTP, and call again.' },
    },
  },
  {
    title: 'Documents',
    notes: {
      ERR_UNSUPPORTED_FORMAT: {
        when: 'No reader knows the format of the file.',
        advice: 'Save the text as .txt, .md, .csv, .pdf or .docx.',
      },
      ERR_WRONG_TYPE: {
        when: 'The content of the file has another format than the name says.',
        advice: 'Give the file the name that the message asks for.',
      },
      ERR_EMPTY_FILE: { when: 'The file has no bytes.', advice: 'Upload a file with content.' },
      ERR_NO_TEXT: {
        when: 'The file has no text. It may be a scan, or its letters have no meaning outside of its fonts.',
        advice: 'Run text recognition (OCR) over the file, and upload the result.',
      },
      ERR_ENCRYPTED: { when: 'A password protects the file.', advice: 'Save the file without a password.' },
      ERR_CORRUPT_FILE: { when: 'The file is damaged, so that nothing of it can be read.', advice: NEW_FILE },
      ERR_UNDECODABLE_TEXT: {
        when: 'No character set turns the bytes into a text.',
        advice: 'Convert the file to UTF-8.',
      },
      ERR_EXTRACTION_LIMIT: {
        when: 'The file needs more memory, or becomes more text, than a file may.',
        advice: 'Split the file, or save it in another format.',
      },
      ERR_EXTRACTION_TIMEOUT: {
        when: 'Reading the file takes too long. The file may be damaged, or made to be slow.',
        advice: 'Save the file again, or split it.',
        isOutsideHttp: true,
      },
      ERR_CRASHED: {
        advice: 'Retry the document once. If it fails again, remove it: it ends the process that works on it.',
        isOutsideHttp: true,
      },
      ERR_FILE_MISSING: { advice: 'Restore the file from a backup, or delete the document.' },
    },
  },
  {
    title: 'Models and vectors',
    notes: {
      ERR_MODEL_UNKNOWN: {
        when: 'No embedding model of the engine has this id.',
        advice: 'Use the id of a model that the engine is opened with, or open it with this model.',
      },
      ERR_MODEL_MISSING: {
        when: 'A model folder has no file that its model needs.',
        advice: 'Put the file back, or name another folder.',
      },
      ERR_MODEL_CHANGED: {
        when: 'A file of a model is not the one that `profile.json` names, or `profile.json` is not valid.',
        advice: 'Put the original file back. Another model has another id and a folder of its own.',
      },
      ERR_MODEL_UNSUPPORTED: {
        when: 'The adapter cannot read a model of this kind.',
        advice: 'Use a BERT model with a WordPiece tokenizer.',
      },
      ERR_VECTOR_INVALID: {
        advice: 'Check the embedding model: each vector has as many finite numbers as the profile of the model says.',
      },
      ERR_VECTORS_DAMAGED: {
        advice:
          'Run `alcove doctor --repair`, which makes the vectors and the words of the context again from its documents.',
      },
    },
  },
  {
    title: 'Storage and the data folder',
    notes: {
      ERR_STORAGE: { advice: 'Call again when `isTransient` is true. Otherwise do what the message says.' },
      ERR_STORAGE_FULL: { advice: 'Make room on the disk. Work goes on by itself.' },
      ERR_SCHEMA_TOO_NEW: {
        advice: 'Install the version of the package that wrote the database, or a newer one.',
        isOutsideHttp: true,
      },
      ERR_ALREADY_INITIALIZED: {
        advice: 'Use the folder as it is. `alcove key create` makes another API key.',
        isOutsideHttp: true,
      },
      ERR_NOT_INITIALIZED: { advice: 'Run `alcove init`, or name the folder that you mean.', isOutsideHttp: true },
      ERR_DATA_DIR_LOCKED: {
        advice: 'End the process that the message names, or ask it to do the work over REST.',
        isOutsideHttp: true,
      },
      ERR_DATA_DIR_UNUSABLE: {
        advice: 'Give the user of the process the right to read and write the folder, and nobody else.',
        isOutsideHttp: true,
      },
      ERR_DATA_DIR_MISMATCH: {
        advice:
          'Name the folder, the database and the bucket that were made together. The engine changes none of them.',
        isOutsideHttp: true,
      },
      ERR_CLOSED: { advice: 'Open a new engine. Over HTTP, call again: the server is being stopped.' },
    },
  },
  {
    title: 'Backups and migrations',
    notes: {
      ERR_BACKUP_RUNNING: { advice: 'Wait until the other backup ends, and call again.', isOutsideHttp: true },
      ERR_BACKUP_FAILED: {
        advice: 'Remove the cause that the message names, such as a full disk, and start again.',
        isOutsideHttp: true,
      },
      ERR_BACKUP_INVALID: {
        advice: 'Use another backup, or the version of the package that made this one.',
        isOutsideHttp: true,
      },
      ERR_MIGRATION_FAILED: {
        advice: 'End what writes to the database or the folder, and run `alcove migrate` again.',
        isOutsideHttp: true,
      },
    },
  },
  {
    title: 'Keys and secrets',
    notes: {
      ERR_SIGNING_KEY: { advice: 'Make the file with the signing keys readable, or restore it.' },
      ERR_SECRET_KEY: {
        advice:
          'Give the key that the database was made with: `keys/secret-key`, `secretKeyFile` or `--secret-key-file`.',
        isOutsideHttp: true,
      },
      ERR_SECRET_UNREADABLE: {
        advice: 'Make the secret anew: rotate the secret of the destination, or set up the one-time passwords again.',
      },
    },
  },
  {
    title: 'Mails and webhooks',
    notes: {
      ERR_MAIL: {
        advice: 'Check the mail server and its settings. The engine sends a mail again when `isTransient` is true.',
      },
      ERR_DESTINATION_REFUSED: {
        advice:
          'Use a public HTTPS address. The operator can let a private network in: `--webhook-allow`, `webhooks.allow`.',
      },
      ERR_PAYLOAD_CORRUPT: { advice: 'Record the event anew. The damaged one cannot be sent.' },
      ERR_WEBHOOK_SIGNATURE: {
        advice: 'Answer with 401. If the sender is right, check the secret and verify the raw bytes.',
        isOutsideHttp: true,
      },
      ERR_WEBHOOK_MALFORMED: { advice: 'Answer with 400.', isOutsideHttp: true },
    },
  },
  {
    title: 'HTTP',
    notes: {
      ERR_PATH_NOT_FOUND: { when: 'No route has this path.', advice: 'Check the path and the base path of the API.' },
      ERR_METHOD_NOT_ALLOWED: {
        when: 'The route has no such method.',
        advice: 'Use a method that the header `Allow` names.',
      },
      ERR_BODY_TOO_LARGE: { when: 'The body has more bytes than its route takes.', advice: 'Send less at once.' },
      ERR_TOO_SLOW: {
        when: 'The body does not arrive in time, or an upload comes more slowly than it may.',
        advice: 'Send again over a faster connection. The operator can set `--min-upload-rate`.',
      },
      ERR_BUSY: {
        when: 'All clients together send more bodies than the server can hold.',
        advice: 'Wait for as long as `Retry-After` says, and send again.',
      },
      ERR_REQUEST_ABORTED: {
        when: 'The client leaves before its answer. The code is in the log alone.',
        advice: 'Nothing is to be done.',
      },
      ERR_TIMEOUT: {
        when: 'A port does not answer the health check in time. The code stands beside the port in `GET /health`.',
        advice: 'Look at the service behind the port, such as the database.',
      },
    },
  },
  {
    title: 'The engine itself',
    notes: {
      ERR_INTERNAL: {
        when: 'Something fails that no code describes. The log has the cause.',
        advice: 'Read the log, and report the cause.',
      },
      ERR_LEASE_LOST: {
        advice: 'Nothing is to be done: another worker has the job. Telemetry tells of it.',
        isOutsideHttp: true,
      },
    },
  },
]

/** Names of codes that stand in the sources, and that nobody who calls the engine gets. */
export const INNER_CODES: Readonly<Record<string, string>> = {
  ERR_MODULE_NOT_FOUND: 'Node has no such package. The engine reports `ERR_UNSUPPORTED`.',
  ERR_RESPONSE_SIZE: 'A receiver of events answers with too much. The delivery log has a sentence that says so.',
  ERR_RESPONSE_STATUS:
    'A receiver of events answers without a final status. The delivery log has a sentence that says so.',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'Node does not trust a certificate, which is for another name. The message of the error says so.',
  ERR_UNAVAILABLE: 'The HTTP server has it as a default, and answers with the code of the error in its place.',
  ERR_WORKER_OUT_OF_MEMORY:
    'A reader of documents needs too much memory. The document ends with `ERR_EXTRACTION_LIMIT`.',
}
