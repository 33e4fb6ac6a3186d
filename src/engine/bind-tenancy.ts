import type { Container } from 'inversify'
import { AuditRefusals } from '../audit/index.js'
import { RemoveContexts } from '../contexts/index.js'
import { SecretBox } from '../kernel/secret-box.js'
import {
  AccessRecorder,
  AuthenticateClient,
  AuthenticateToken,
  Authorizer,
  checkSetupUrl,
  FailureThrottle,
  ListPermissionOptions,
  MailGate,
  MailQueue,
  OtpSecrets,
  PasswordRequests,
  PasswordRules,
  Passwords,
  Permissions,
  SecondFactor,
  SendMail,
  Throttle,
  Tokens,
  tokenIssuerOf,
  Users,
} from '../tenancy/index.js'
import type { EngineOptions } from './engine-options.js'
import {
  CLOCK,
  COMMON_PASSWORDS,
  LIMITS,
  MAILER,
  ONE_TIME_PASSWORDS,
  PASSWORD_HASHER,
  STORAGE,
  TELEMETRY,
  TOKEN_ISSUER,
  TOKEN_SIGNER,
} from './tokens.js'

/** Binds companies, users, permissions, tokens, passwords and mails. */
export function bindTenancy(container: Container, options: EngineOptions): void {
  container
    .bind(AccessRecorder)
    .toResolvedValue(
      (storage, clock, telemetry) => new AccessRecorder(storage, clock, telemetry),
      [STORAGE, CLOCK, TELEMETRY],
    )
  container
    .bind(Authorizer)
    .toResolvedValue((storage, recorder) => new Authorizer(storage, recorder), [STORAGE, AccessRecorder])
  bindTokens(container, options)
  bindMails(container, options)
  bindUsersAndPermissions(container)
}

function bindTokens(container: Container, { tokenIssuer }: EngineOptions): void {
  container.bind(TOKEN_ISSUER).toConstantValue(tokenIssuerOf(tokenIssuer))
  container.bind(Throttle).toResolvedValue((storage, clock) => new Throttle(storage, clock), [STORAGE, CLOCK])
  container
    .bind(FailureThrottle)
    .toResolvedValue((throttle, limits) => new FailureThrottle(throttle, limits), [Throttle, LIMITS])
  container
    .bind(PasswordRequests)
    .toResolvedValue((throttle, limits) => new PasswordRequests(throttle, limits), [Throttle, LIMITS])
  container
    .bind(AuthenticateClient)
    .toResolvedValue(
      (storage, clock, throttle, refusals) => new AuthenticateClient(storage, clock, throttle, refusals),
      [STORAGE, CLOCK, FailureThrottle, AuditRefusals],
    )
  container
    .bind(AuthenticateToken)
    .toResolvedValue(
      (storage, clock, signer, issuer) => new AuthenticateToken(storage, clock, signer, issuer),
      [STORAGE, CLOCK, TOKEN_SIGNER, TOKEN_ISSUER],
    )
  container
    .bind(Tokens)
    .toResolvedValue(
      (storage, clock, signer, issuer, clients, authenticateToken) =>
        new Tokens(storage, clock, signer, issuer, clients, authenticateToken),
      [STORAGE, CLOCK, TOKEN_SIGNER, TOKEN_ISSUER, AuthenticateClient, AuthenticateToken],
    )
}

function bindMails(container: Container, { mail = {} }: EngineOptions): void {
  if (typeof mail.setupUrl === 'string') checkSetupUrl(mail.setupUrl)
  container
    .bind(SendMail)
    .toResolvedValue((storage, clock, mailer) => new SendMail(storage, clock, mailer, mail), [STORAGE, CLOCK, MAILER])
  container.bind(MailGate).toResolvedValue((clock, limits) => new MailGate(clock, limits), [CLOCK, LIMITS])
  container
    .bind(MailQueue)
    .toResolvedValue(
      (storage, clock, mailer, sendMail, telemetry, gate) =>
        new MailQueue(storage, clock, mailer, sendMail, telemetry, gate),
      [STORAGE, CLOCK, MAILER, SendMail, TELEMETRY, MailGate],
    )
}

function bindUsersAndPermissions(container: Container): void {
  container
    .bind(Users)
    .toResolvedValue(
      (storage, clock, limits, recorder, mailQueue, contexts) =>
        new Users(storage, clock, limits, recorder, mailQueue, contexts),
      [STORAGE, CLOCK, LIMITS, AccessRecorder, MailQueue, RemoveContexts],
    )
  container.bind(PasswordRules).toResolvedValue((common) => new PasswordRules(common), [COMMON_PASSWORDS])
  container
    .bind(OtpSecrets)
    .toResolvedValue(
      (algorithm, secretBox, clock, telemetry) => new OtpSecrets(algorithm, secretBox, clock, telemetry),
      [ONE_TIME_PASSWORDS, SecretBox, CLOCK, TELEMETRY],
    )
  container
    .bind(SecondFactor)
    .toResolvedValue(
      (storage, clock, secrets) => new SecondFactor(storage, clock, secrets),
      [STORAGE, CLOCK, OtpSecrets],
    )
  container
    .bind(Passwords)
    .toResolvedValue(
      (storage, clock, hasher, rules, mails, failures, requests, refusals, secondFactor) =>
        new Passwords(storage, clock, hasher, rules, mails, failures, requests, refusals, secondFactor),
      [
        STORAGE,
        CLOCK,
        PASSWORD_HASHER,
        PasswordRules,
        MailQueue,
        FailureThrottle,
        PasswordRequests,
        AuditRefusals,
        SecondFactor,
      ],
    )
  container.bind(Permissions).toResolvedValue((storage, clock) => new Permissions(storage, clock), [STORAGE, CLOCK])
  container.bind(ListPermissionOptions).toResolvedValue((storage) => new ListPermissionOptions(storage), [STORAGE])
}
