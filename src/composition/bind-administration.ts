import type { Container } from 'inversify'
import { RemoveContexts } from '../context/index.js'
import { textSchema, validate } from '../shared/validate.js'
import {
  AddUser,
  Administration,
  Initialize,
  OtpSecrets,
  Passwords,
  unlimitedReach,
} from '../tenancy-authorization/index.js'
import type { EngineOptions } from './engine-options.js'
import { CLOCK, HOST_REACH, LIMITS, STORAGE, TOKEN_SIGNER } from './tokens.js'

const CLIENT_ID = textSchema({ min: 1, max: 255, isLine: true }).optional()

/** Binds what the host does by its own hand. */
export function bindAdministration(container: Container, { hostClientId }: EngineOptions): void {
  const clientId = validate(CLIENT_ID, hostClientId, 'hostClientId')
  container.bind(HOST_REACH).toConstantValue(unlimitedReach({ kind: 'host', clientId }))
  container
    .bind(Initialize)
    .toResolvedValue((storage, clock, reach) => new Initialize(storage, clock, reach), [STORAGE, CLOCK, HOST_REACH])
  container
    .bind(Administration)
    .toResolvedValue(
      (storage, clock, addUser, passwords, signer, reach, otpSecrets, limits, contexts) =>
        new Administration(storage, clock, addUser, passwords, signer, reach, otpSecrets, limits, contexts),
      [STORAGE, CLOCK, AddUser, Passwords, TOKEN_SIGNER, HOST_REACH, OtpSecrets, LIMITS, RemoveContexts],
    )
}
