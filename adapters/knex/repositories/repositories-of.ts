import type { Repositories } from '../../../src/ports/index.js'
import { KnexAccountRepository, KnexRegionRepository, KnexSettingRepository } from './account-repositories.js'
import { KnexApiKeyRepository } from './api-key-repository.js'
import { KnexAuditRepository } from './audit-repository.js'
import type { Session } from './base.js'
import { KnexChunkRepository } from './chunk-repository.js'
import { KnexCompanyRepository } from './company-repository.js'
import { KnexContextRepository } from './context-repository.js'
import { KnexDeliveryRepository } from './delivery-repository.js'
import { KnexDestinationRepository } from './destination-repository.js'
import { KnexDocumentRepository } from './document-repository.js'
import { KnexEventRepository } from './event-repository.js'
import { KnexJobRepository } from './job-repository.js'
import { KnexMailRepository, KnexPasswordTokenRepository } from './mail-repositories.js'
import { KnexOneTimePasswordRepository } from './one-time-password-repository.js'
import { KnexPermissionRepository } from './permission-repository.js'
import { KnexRateRepository } from './rate-repository.js'
import { KnexRevokedTokenRepository } from './revoked-token-repository.js'
import { KnexUploadRepository } from './upload-repository.js'
import { KnexRoleRepository, KnexUserRepository } from './user-repositories.js'

/** All repositories on one connection, or within one transaction. */
export function repositoriesOf(session: Session): Repositories {
  return {
    settings: new KnexSettingRepository(session),
    companies: new KnexCompanyRepository(session),
    regions: new KnexRegionRepository(session),
    accounts: new KnexAccountRepository(session),
    roles: new KnexRoleRepository(session),
    users: new KnexUserRepository(session),
    permissions: new KnexPermissionRepository(session),
    apiKeys: new KnexApiKeyRepository(session),
    passwordTokens: new KnexPasswordTokenRepository(session),
    oneTimePasswords: new KnexOneTimePasswordRepository(session),
    mails: new KnexMailRepository(session),
    contexts: new KnexContextRepository(session),
    documents: new KnexDocumentRepository(session),
    uploads: new KnexUploadRepository(session),
    chunks: new KnexChunkRepository(session),
    jobs: new KnexJobRepository(session),
    destinations: new KnexDestinationRepository(session),
    events: new KnexEventRepository(session),
    deliveries: new KnexDeliveryRepository(session),
    rates: new KnexRateRepository(session),
    revokedTokens: new KnexRevokedTokenRepository(session),
    audit: new KnexAuditRepository(session),
  }
}
