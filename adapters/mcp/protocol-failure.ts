import { ProtocolError } from '@modelcontextprotocol/server'
import { type CallFailure, describeFailure } from '../../src/ports/index.js'

/** Describes an error of a call for its caller. Those of the protocol are about its arguments. */
export function describeCallFailure(error: unknown): CallFailure {
  if (error instanceof ProtocolError) return { sentence: error.message, code: 'ERR_INVALID_INPUT', isInternal: false }
  return describeFailure(error)
}
