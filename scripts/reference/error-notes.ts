/** Advice for each error code, and the meaning of the codes that share a class. The docstrings of the classes say the rest. */
export interface ErrorNote {
  /** The case in which the code occurs. Default: the docstring of its class. */
  readonly when?: string
  /** The action for the caller, the operator or the user. */
  readonly advice: string
  /** True if no answer of the REST API has the code. It comes from a call of the library, or a command. */
  readonly isOutsideHttp?: true
  /** True if the upload is accepted: no answer of the REST API has the code, but the `error` of the document. */
  readonly isRecorded?: true
}

export interface ErrorGroup {
  readonly title: string
  readonly notes: Readonly<Record<string, ErrorNote>>
}

const CHECK_THE_ID = 'Check the id. A list of the existing objects has the right one.'
const NEW_FILE = 'Save the file again with the program that made it, and upload the new file.'

export const ERROR_GROUPS: readonly ErrorGroup[] = [
  {
    title: 'Input',
    notes: {
      ERR_INVALID_INPUT: { advice: 'Correct the field that the message and `field` name.' },
      ERR_ALREADY_EXISTS: { advice: 'Use the existing object, or choose another name, address, external id or URL.' },
      ERR_IN_USE: {
        advice: 'Do first what the message says. Some objects cannot be deleted, such as the root company.',
      },
      ERR_LAST_MANAGER: { advice: 'Give another user a role with `tenant:manage` first.' },
      ERR_NATIVE_PART: {
        advice: 'Run the commands of the message, then start the process again. See [Install](../how-to/install.md).',
      },
      ERR_UNSUPPORTED: { advice: 'Follow the message: it names the package, the role or the command that is needed.' },
    },
  },
  {
    title: 'Authentication and permissions',
    notes: {
      ERR_UNAUTHENTICATED: {
        advice:
          'Over HTTP, get a new access token. In a program, check that the company, the user and the account of the ' +
          'principal exist and are enabled.',
      },
      ERR_FORBIDDEN: {
        advice:
          'Ask a user who manages the company for the permission. `scope` names a capability that the token leaves out.',
      },
      ERR_OTP_REQUIRED: { advice: 'Ask the user for a code, and check the password and the code together.' },
      ERR_COMPANY_REQUIRED: { advice: 'Ask for the company of the user, and pass its id as `companyId`.' },
      ERR_TOKEN_REQUEST: {
        advice:
          'Read `error`, which is a code of RFC 6749, and the message. `invalid_client` is answered with 401, the ' +
          'others with 400.',
      },
    },
  },
  {
    title: 'Objects that do not exist',
    notes: {
      ERR_CONTEXT_NOT_FOUND: { advice: CHECK_THE_ID },
      ERR_DOCUMENT_NOT_FOUND: { advice: CHECK_THE_ID },
      ERR_COMPANY_NOT_FOUND: { advice: CHECK_THE_ID },
      ERR_ACCOUNT_NOT_FOUND: { advice: CHECK_THE_ID },
      ERR_ROLE_NOT_FOUND: { advice: CHECK_THE_ID },
      ERR_USER_NOT_FOUND: { advice: CHECK_THE_ID },
      ERR_PERMISSION_NOT_FOUND: { advice: CHECK_THE_ID },
      ERR_API_KEY_NOT_FOUND: { advice: CHECK_THE_ID },
      ERR_DESTINATION_NOT_FOUND: { advice: CHECK_THE_ID },
      ERR_DELIVERY_NOT_FOUND: {
        advice: 'Check the id. The log keeps a delivery for 30 days, or for `deliveryRetentionDays`.',
      },
    },
  },
  {
    title: 'Limits',
    notes: {
      ERR_QUOTA_EXCEEDED: {
        advice:
          'Delete documents of the context. A host application can also raise `settings.maxSizeBytes`; the command line ' +
          'and REST cannot.',
      },
      ERR_LIMIT_REACHED: {
        advice: 'Delete objects that are no longer needed. The operator can raise the limit that the message names.',
      },
      ERR_THROTTLED: { advice: 'Wait for `retryAfterSeconds`, the header `Retry-After` over HTTP, and call again.' },
    },
  },
  {
    title: 'Documents',
    notes: {
      ERR_UNSUPPORTED_FORMAT: {
        when:
          'The format of the file is not supported. If its first 4 kB do not show that, the upload is accepted, and the ' +
          '`error` of the document ends in this code.',
        advice:
          'Save the text as one of the formats that the message names, such as .txt, .pdf or .docx. ' +
          "If the file is a text under another name, upload it with `contentType: 'text/plain'`.",
      },
      ERR_WRONG_TYPE: {
        when: 'The content of the file has another format than the extension of its name.',
        advice: 'Rename the file to the extension that the message names.',
      },
      ERR_EMPTY_FILE: { when: 'The file is empty.', advice: 'Upload a file with content.' },
      ERR_NO_TEXT: {
        when: 'The file has no text. It may be a scan, or its fonts have no Unicode map.',
        advice:
          'Run text recognition (OCR) over a scan: the option `ocr` of the engine does that. Export another file again with embedded Unicode fonts.',
        isRecorded: true,
      },
      ERR_ENCRYPTED: {
        when: 'The file needs a password to be opened. A PDF with only an owner password is read.',
        advice: 'Save the file without a password.',
        isRecorded: true,
      },
      ERR_CORRUPT_FILE: { when: 'The file is damaged and cannot be read.', advice: NEW_FILE, isRecorded: true },
      ERR_UNDECODABLE_TEXT: {
        when: 'The encoding of the text is unknown or not supported, or the file is binary.',
        advice: 'Convert the file to UTF-8.',
        isRecorded: true,
      },
      ERR_EXTRACTION_LIMIT: {
        when: 'Reading the file needs too much memory, or the file has too much text.',
        advice: 'Split the file, or save it in another format.',
        isRecorded: true,
      },
      ERR_EXTRACTION_TIMEOUT: {
        when: 'Reading the file takes too long: the file may be damaged.',
        advice: 'Save the file with another program, or split it.',
        isRecorded: true,
      },
      ERR_CRASHED: {
        advice: 'Retry the document once. If it fails a second time, delete it: it crashes the process that reads it.',
        isRecorded: true,
      },
      ERR_NOT_READY: {
        when: 'The text of a document is wanted while the document is still being processed.',
        advice: 'Wait until the document is completed: by `whenProcessed`, its webhook or its events. Then call again.',
      },
      ERR_DOCUMENT_FAILED: {
        when: 'The text of a document is wanted that could not be processed. The message has the reason.',
        advice: 'Follow the code at the end of the message, then retry or replace the document.',
      },
      ERR_FILE_MISSING: { advice: 'Restore the file from a backup, or delete the document.' },
    },
  },
  {
    title: 'Models and vectors',
    notes: {
      ERR_MODEL_UNKNOWN: {
        when: 'No embedding model of the engine has this id, or a download finds no such repository or revision.',
        advice: 'Use the id of a model that the engine is opened with, or open it with this model.',
      },
      ERR_MODEL_MISSING: {
        when: 'A model folder has no file that its model needs.',
        advice: 'Put the file back, or name another folder.',
      },
      ERR_MODEL_CHANGED: {
        when:
          'A file of a model is not the one that `profile.json` names, or `profile.json` is not valid. ' +
          'Or a downloaded file does not have the hash of the hub.',
        advice: 'Put the original file back. Another model has another id and a folder of its own.',
      },
      ERR_MODEL_UNSUPPORTED: {
        when:
          'The adapter or the runtime cannot run a model of this kind, or a server does not answer as one for embeddings does. ' +
          'The message has the reason.',
        advice:
          'Export the model as the message says, or use another one. For a model on a server, check its base URL.',
      },
      ERR_MODEL_UNAVAILABLE: {
        when: 'The server of an embedding model is away, overloaded or too slow.',
        advice:
          'Wait, or start the server. Documents wait for it by themselves. A download goes on when the command runs again.',
      },
      ERR_MODEL_REFUSED: {
        when:
          'The server of an embedding model refuses a request: a wrong key, an unknown model, a text that is too long. ' +
          'Or a hub of models asks for a token, or for an accepted licence.',
        advice: 'Change what the message names, then retry the document.',
      },
      ERR_VECTOR_INVALID: {
        advice: 'Check the embedding model: each vector has as many finite numbers as the profile of the model says.',
      },
      ERR_VECTORS_DAMAGED: {
        advice:
          'Run `alcove doctor --repair`, which rebuilds the vectors and the words of the context from its documents.',
      },
    },
  },
  {
    title: 'Storage and the data folder',
    notes: {
      ERR_STORAGE: { advice: 'Call again when `isTransient` is true. Otherwise do what the message says.' },
      ERR_STORAGE_FULL: { advice: 'Free space on the disk. The engine then continues by itself.' },
      ERR_STORAGE_READ_ONLY: {
        advice: 'Make the disk writable. Reads work meanwhile, and the engine then continues by itself.',
      },
      ERR_SCHEMA_TOO_NEW: {
        advice: 'Install the version of the package that wrote the database, or a newer one.',
        isOutsideHttp: true,
      },
      ERR_SCHEMA_TOO_OLD: {
        advice: 'Use a new data folder, or an empty database.',
        isOutsideHttp: true,
      },
      ERR_ALREADY_INITIALIZED: {
        advice: 'Use the folder as it is. `alcove key create` makes another API key.',
        isOutsideHttp: true,
      },
      ERR_NOT_INITIALIZED: { advice: 'Run `alcove init`, or name the folder that you mean.', isOutsideHttp: true },
      ERR_DATA_DIR_LOCKED: {
        advice: 'Stop the process that the message names, or send it the request over REST.',
        isOutsideHttp: true,
      },
      ERR_DATA_DIR_UNUSABLE: {
        advice: 'Give the user of the process, and no other user, the right to read and write the folder.',
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
        advice: 'Stop all processes that write to the database or the folder, and run `alcove migrate` again.',
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
        advice: 'Create a new secret: rotate the secret of the destination, or set up the one-time passwords again.',
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
      ERR_PAYLOAD_CORRUPT: { advice: 'Record a new event. The damaged one cannot be sent.' },
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
        when: 'The bodies of all clients together are larger than the memory that the server has for them.',
        advice: 'Wait for as long as `Retry-After` says, and send again.',
      },
      ERR_REQUEST_ABORTED: {
        when: 'The client disconnects before the answer. Only the log has the code.',
        advice: 'No action is needed.',
      },
      ERR_HTTP: {
        when: 'An answer is not from Alcove, but perhaps from a proxy. An `AlcoveApiError` of `alcove/client` has the code.',
        advice: 'Check the `baseUrl` of the client, and the proxies in front of the server.',
        isOutsideHttp: true,
      },
      ERR_UNREACHABLE: {
        when: 'A server gives no answer, or its answer breaks off. An `AlcoveClientError` of `alcove/client` has the code, the address and the reason.',
        advice:
          'Check the `baseUrl` of the client, that the server runs, and for a page the `corsOrigins` of the server.',
        isOutsideHttp: true,
      },
      ERR_TIMEOUT: {
        when: 'A port does not answer the health check in time. The code is next to the port in `GET /health`.',
        advice: 'Check the service behind the port, such as the database.',
      },
    },
  },
  {
    title: 'The engine itself',
    notes: {
      ERR_INTERNAL: {
        when: 'An unexpected error without a code of its own occurs. The log has the cause.',
        advice: 'Read the log, and report the cause.',
      },
      ERR_LEASE_LOST: {
        advice: 'No action is needed: another worker has the job. Telemetry reports it.',
        isOutsideHttp: true,
      },
    },
  },
]

/** Codes in the sources that no caller of the engine gets. */
export const INNER_CODES: Readonly<Record<string, string>> = {
  ERR_ENCODING_INVALID_ENCODED_DATA:
    'Node finds bytes that are not UTF-8 in a file of questions. The engine reports `ERR_INVALID_INPUT`.',
  ERR_DLOPEN_FAILED: 'The system refuses the native part of a package. The engine reports `ERR_NATIVE_PART`.',
  ERR_MODULE_NOT_FOUND:
    'Node has no such package. The engine reports `ERR_UNSUPPORTED`, or `ERR_NATIVE_PART` for a native part.',
  ERR_RESPONSE_SIZE: 'The answer of a webhook receiver is too large. The delivery log has a sentence about it.',
  ERR_RESPONSE_STATUS: 'A webhook receiver answers without a final status. The delivery log has a sentence about it.',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'A TLS certificate is for another host name. The message of the error names the reason.',
  ERR_UNAVAILABLE: 'The default code of the HTTP server. The answer has the code of the error instead.',
  ERR_WORKER_OUT_OF_MEMORY:
    'A reader of documents needs too much memory. The document fails with `ERR_EXTRACTION_LIMIT`.',
}
