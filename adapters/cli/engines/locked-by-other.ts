import { type DataDirHolder, DataDirLockedError } from '../../../src/index.js'

/** The error of a search, for an agent: it can end no process, but it can tell its user what to do. */
export function lockedForAgent(error: DataDirLockedError): DataDirLockedError {
  const { holder } = error
  if (holder === undefined) return error
  // A server keeps the folder until it ends; other processes take turns.
  const next = holder.address === undefined ? 'Repeat the search later. If it fails again' : 'Do not repeat the search'
  const sentence = `search does not work now, because ${nameOf(holder)} uses the documents. list_contexts and read_document still work. ${next}, tell the user: ${adviceOf(holder)}`
  return new DataDirLockedError(sentence, { cause: error, holder })
}

/** The same for the person who started the server of agents, when a search has failed or cannot succeed. */
export function lockedForPerson(dataDir: string, holder: DataDirHolder): string {
  return `alcove mcp: ${nameOf(holder)} uses the data folder ${dataDir}, so searches of agents fail: ${adviceOf(holder)}, or give all processes --database-url`
}

/** A notice for the person at the start. A process that is no server may release the folder before the first search. */
export function heldAtStart(dataDir: string, holder: DataDirHolder, waitMs: number): string {
  if (holder.address !== undefined) return lockedForPerson(dataDir, holder)
  return `alcove mcp: ${nameOf(holder)} uses the data folder ${dataDir} now; a search waits up to ${waitMs / 1_000} seconds for it`
}

function nameOf({ pid, address }: DataDirHolder): string {
  const process = pid === undefined ? 'another process' : `another process (pid ${pid})`
  return address === undefined ? process : `${process}, the server ${address},`
}

function adviceOf({ address }: DataDirHolder): string {
  return address === undefined
    ? 'wait until that process ends, or end it; if it is "alcove serve", connect the agent to the URL that it printed, with /mcp at its end'
    : `connect the agent to ${address}/mcp with a token of that server, or end that process`
}
