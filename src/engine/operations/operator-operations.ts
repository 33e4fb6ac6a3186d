import type { VerifyOptions, VerifyReport } from '../../doctor/index.js'
import { errorReason, ForbiddenError } from '../../kernel/errors.js'
import { refuseUnknownMembers } from '../../kernel/validate.js'
import type { Principal } from '../../tenancy/index.js'
import type { EngineParts } from '../engine-parts.js'
import type { EngineState } from '../engine-state.js'
import type { EngineSignals } from './operations.js'

/** Options of {@link OperatorOperations.verify}. */
export type InspectionOptions = Omit<VerifyOptions, 'repair'>

/**
 * The whole installation, for those who operate it: principals with the capability `tenant:manage` that manage the root
 * company. All methods also throw UnauthenticatedError if the principal no longer exists, ForbiddenError for every
 * other principal, and ClosedError after the engine is closed.
 */
export interface OperatorOperations {
  /**
   * Reads the state of this process, and of the data of all companies.
   * @throws StorageError if the database cannot be read
   */
  state(): Promise<EngineState>
  /**
   * Runs the doctor without repairs: compares rows, vectors, words, files and models with each other while the engine
   * works. It reads every file, and changes nothing. Other work has priority.
   *
   * @throws InvalidInputError for an unknown option
   * @throws ThrottledError while another verification of this kind runs in this process
   * @throws ClosedError if the engine is closed before the end; the signal's reason if the signal is aborted
   */
  verify(options?: InspectionOptions): Promise<VerifyReport>
}

export function createOperatorOperations(
  parts: EngineParts,
  principal: Principal,
  signals: EngineSignals,
): OperatorOperations {
  const { inspection, rootCompanyId } = signals
  const authorize = async (): Promise<void> => {
    const reachedId = await signals.run(async () => await managedCompany(parts, principal))
    if (reachedId !== rootCompanyId) throw new ForbiddenError(...REFUSAL)
  }
  return {
    state: async () => {
      await authorize()
      return await inspection.state()
    },
    verify: async (options = {}) => {
      await authorize()
      refuseUnknownMembers(options, ['signal', 'onProgress'], 'option')
      return await signals.runUntilClosed(
        options.signal,
        async (signal) => await inspection.verify(signal, options.onProgress),
      )
    },
  }
}

const REFUSAL = ['only a manager of the root company may do this', errorReason('operator-only')] as const

/** @throws UnauthenticatedError @throws ForbiddenError */
async function managedCompany({ authorizer }: EngineParts, principal: Principal): Promise<number | undefined> {
  try {
    return (await authorizer.authorizeTenant(principal)).reach.companyId
  } catch (error) {
    if (!(error instanceof ForbiddenError)) throw error
    throw new ForbiddenError(...REFUSAL, error.scope === undefined ? {} : { scope: error.scope })
  }
}
