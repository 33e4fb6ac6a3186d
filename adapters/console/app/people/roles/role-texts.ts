import { phrases } from '../../texts/phrases.js'

const CAPABILITIES: Readonly<Record<string, string>> = {
  'context:read': 'see GPTs and their documents',
  'context:write': 'create, change and delete GPTs',
  'document:write': 'upload, replace and delete documents',
  search: 'search in documents',
  'tenant:manage': 'manage users, permissions and API keys',
  'webhook:manage': 'manage webhooks',
}

export const ROLE_TEXTS = phrases({
  en: {
    capabilities: CAPABILITIES,
    intro:
      'A role says what somebody may do on an account. Give it to a user on the page of the user. Only the command line makes and changes roles:',
    role: 'Role',
    scope: 'Where it holds',
    systemWide: 'in all companies',
    applications: 'Applications',
    may: 'What it allows',
    state: 'State',
    usable: 'you can give it',
    notYours: 'you lack some of it',
    disabled: 'disabled: gives no access',
  },
  de: {
    capabilities: {
      'context:read': 'GPTs und ihre Dokumente sehen',
      'context:write': 'GPTs erstellen, ändern und löschen',
      'document:write': 'Dokumente hochladen, ersetzen und löschen',
      search: 'in Dokumenten suchen',
      'tenant:manage': 'Benutzer, Rechte und API-Schlüssel verwalten',
      'webhook:manage': 'Webhooks verwalten',
    },
    intro:
      'Eine Rolle sagt, was jemand auf einem Konto darf. Du vergibst sie auf der Seite des Benutzers. Nur die Kommandozeile erstellt und ändert Rollen:',
    role: 'Rolle',
    scope: 'Wo sie gilt',
    systemWide: 'in allen Firmen',
    applications: 'Anwendungen',
    may: 'Was sie erlaubt',
    state: 'Status',
    usable: 'du kannst sie vergeben',
    notYours: 'dir fehlt etwas davon',
    disabled: 'deaktiviert: gibt keinen Zugang',
  },
})
