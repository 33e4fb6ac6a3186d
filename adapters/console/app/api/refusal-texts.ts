import { phrases } from '../texts/phrases.js'

/** The reasons of refusals for rights, uses, twins and limits. The sentence of the error's code says what to do. */
export const REFUSAL_TEXTS = phrases({
  en: {
    'no-permission': 'You have no permission on the account {account}.',
    'permission-disabled': 'Your permission on the account {account} is suspended.',
    'role-of-permission-disabled': 'The role of your permission on the account {account} is disabled.',
    'account-disabled': 'The account {account} is disabled.',
    'company-of-account-disabled': 'The company of the account {account} is disabled.',
    'account-of-other-application': 'The account {account} is for “{application}”, not for “{wanted}”.',
    'role-of-other-application': 'Your role is not valid for “{application}”.',
    'role-without-capability': 'Your role does not allow this: {capability}.',
    'scope-without-capability': 'The scope does not allow this: {capability}.',
    'access-disabled': 'Your permission, its role or its account is disabled or deleted.',
    'account-of-other-company': 'The account {account} does not belong to the company {company}.',
    'account-not-below-company': 'The account {account} does not belong to the company {company} or one below it.',
    'account-of-token-out-of-reach': 'The account of the token is out of reach of its company.',
    'token-of-other-application': 'The token is for “{application}”, not for “{wanted}”.',
    'account-header-invalid': 'The header {header} must be the id of an account.',
    'no-usable-account': 'You may act on no account now. Somebody who manages users must give you a permission.',
    'account-not-usable': 'You may not act on the account {account} now. Choose another one.',
    'account-deleted': 'The account {account} no longer exists.',
    'account-not-accessible': 'The account {account} does not belong to a company that you may manage.',
    'company-not-accessible': 'You may not manage the company {company}.',
    'host-only': 'Only the application around Alcove may do this.',
    'operator-only': 'Only somebody who manages the root company may do this.',
    'role-with-more-rights':
      'The role {role} has rights that you do not have ({capabilities}). A user who has them must do this.',
    'user-with-more-rights': 'The user {user} has rights that you do not have. A user who has them must do this.',
    'own-permission-suspended': 'The permission {permission} is your own and suspended. Another user must resume it.',
    'role-of-permission-missing': 'The role of the permission {permission} does not exist.',
    'user-with-key-elsewhere':
      'The user {user} has an API key of a company that you may not manage. A manager of that company must revoke it first.',
    'external-id-shows-contexts':
      'An external id gives its person the private GPTs of the user, which you do not see. Leave it out, or use an API key that sees all GPTs of the account.',
    'key-of-other-application':
      'You act by an API key that is not for this: {applications}. Sign in as a user, or with a key for it.',
    'key-shows-all-contexts':
      'Such a key shows private GPTs of all users, which you do not see. Choose the GPTs of its user.',
    'key-shows-contexts-of-user':
      'Such a key shows the private GPTs of the user {user}, which you do not see. Leave the user out, or ask the operator.',
    'key-shows-contexts-of-service-user':
      'Such a key shows the private GPTs of the user {user}, which you do not see: you did not make all of its keys. Leave the user out, or ask the operator.',
    'key-of-user-elsewhere':
      'The API key {key} acts for a user of a company that you may not manage. A manager of that company must revoke it.',
    'context-of-other-user':
      'The GPT {context} belongs to another user. Only that user, or somebody who manages users, can change it.',
    'hand-over-needs-rights': 'Your role does not read and write GPTs. A user with such a role must hand them over.',
    'page-of-other-origin': 'A page of another origin sent this request. The operator can allow its origin.',
    'host-not-own': 'The name in the header Host is none of this server. The operator must set its public URL.',
    'refused-by-host': '{message}',
    'account-of-owner': 'The owner of this installation acts in the account {account}. It cannot be deleted.',
    'user-is-owner': 'The user {user} is the owner of this installation, and cannot be disabled or deleted.',
    'company-is-root': 'The root company cannot be disabled or deleted: the owner acts for it.',
    'company-has-companies': [
      'The company {company} has 1 company below it. Delete or move that one first.',
      'The company {company} has {count} companies below it. Delete or move them first.',
    ],
    'role-in-use': [
      '1 permission has the role {role}. First give it another role, or revoke it.',
      '{count} permissions have the role {role}. First give them another role, or revoke them.',
    ],
    'role-of-system': 'The role {role} ({name}) is a system role. It stays as it is.',
    'user-still-active': 'The user {user} is still active. Disable or delete the user first.',
    'user-with-other-external-id': 'The user {user} has this e-mail address, and another external id.',
    'user-without-external-id':
      'The user {user} has this e-mail address, and no external id. An application may join them with linkByEmail.',
    'email-address-taken': 'A user with this e-mail address exists.',
    'external-id-taken': 'A user with this external id exists.',
    'destination-url-taken': 'The company has a destination with this URL.',
    'client-id-taken': 'An API key with this client id exists.',
    'permission-exists': 'The user has a permission on this account.',
    'limit-of-contexts': 'Number of GPTs of the company {company}: {held}. The limit is {max}.',
    'limit-of-documents': 'Number of documents in the GPT {context}: {held}. The limit is {max}.',
    'limit-of-destinations': 'Number of destinations of the company {company}: {held}. The limit is {max}.',
    'limit-of-users': 'Number of users of the company {company}: {held}. The limit is {max}.',
    'limit-of-api-keys': 'Number of API keys of the company {company}: {held}. The limit is {max}.',
    'limit-of-event-types': 'The application has {max} event types of its own, which is the limit.',
  },
  de: {
    'no-permission': 'Du hast kein Recht auf das Konto {account}.',
    'permission-disabled': 'Dein Recht auf das Konto {account} ist ausgesetzt.',
    'role-of-permission-disabled': 'Die Rolle deines Rechts auf das Konto {account} ist deaktiviert.',
    'account-disabled': 'Das Konto {account} ist deaktiviert.',
    'company-of-account-disabled': 'Die Firma des Kontos {account} ist deaktiviert.',
    'account-of-other-application': 'Das Konto {account} ist für „{application}“ da, nicht für „{wanted}“.',
    'role-of-other-application': 'Deine Rolle gilt nicht für „{application}“.',
    'role-without-capability': 'Deine Rolle erlaubt das nicht: {capability}.',
    'scope-without-capability': 'Der Scope erlaubt das nicht: {capability}.',
    'access-disabled': 'Dein Recht, seine Rolle oder sein Konto ist deaktiviert oder gelöscht.',
    'account-of-other-company': 'Das Konto {account} gehört nicht zur Firma {company}.',
    'account-not-below-company': 'Das Konto {account} gehört weder zur Firma {company} noch zu einer Firma unter ihr.',
    'account-of-token-out-of-reach': 'Das Konto des Tokens gehört nicht zum Bereich seiner Firma.',
    'token-of-other-application': 'Das Token gilt für „{application}“, nicht für „{wanted}“.',
    'account-header-invalid': 'Die Kopfzeile {header} muss die Nummer eines Kontos sein.',
    'no-usable-account':
      'Du darfst zurzeit mit keinem Konto arbeiten. Jemand, der Benutzer verwaltet, muss dir ein Recht geben.',
    'account-not-usable': 'Du darfst zurzeit nicht mit dem Konto {account} arbeiten. Wähle ein anderes.',
    'account-deleted': 'Das Konto {account} gibt es nicht mehr.',
    'account-not-accessible': 'Das Konto {account} gehört zu keiner Firma, die du verwalten darfst.',
    'company-not-accessible': 'Die Firma {company} darfst du nicht verwalten.',
    'host-only': 'Das darf nur die Anwendung, die Alcove einbindet.',
    'operator-only': 'Das darf nur jemand, der die oberste Firma verwaltet.',
    'role-with-more-rights':
      'Die Rolle {role} hat Rechte, die du nicht hast ({capabilities}). Ein Benutzer, der sie hat, muss das tun.',
    'user-with-more-rights':
      'Der Benutzer {user} hat Rechte, die du nicht hast. Ein Benutzer, der sie hat, muss das tun.',
    'own-permission-suspended':
      'Das Recht {permission} ist dein eigenes und ausgesetzt. Ein anderer Benutzer muss es wieder aktivieren.',
    'role-of-permission-missing': 'Die Rolle des Rechts {permission} gibt es nicht.',
    'user-with-key-elsewhere':
      'Der Benutzer {user} hat einen API-Schlüssel einer Firma, die du nicht verwalten darfst. Jemand, der jene Firma verwaltet, muss ihn zuerst widerrufen.',
    'external-id-shows-contexts':
      'Eine externe ID gibt ihrer Person die privaten GPTs des Benutzers, die du nicht siehst. Lass sie weg, oder nimm einen API-Schlüssel, der alle GPTs des Kontos sieht.',
    'key-of-other-application':
      'Du arbeitest mit einem API-Schlüssel, der dafür nicht gilt: {applications}. Melde dich als Benutzer an, oder nimm einen Schlüssel dafür.',
    'key-shows-all-contexts':
      'Ein solcher Schlüssel zeigt private GPTs aller Benutzer, die du nicht siehst. Wähle die GPTs seines Benutzers.',
    'key-shows-contexts-of-user':
      'Ein solcher Schlüssel zeigt die privaten GPTs des Benutzers {user}, die du nicht siehst. Lass den Benutzer weg, oder frag den Betreiber.',
    'key-shows-contexts-of-service-user':
      'Ein solcher Schlüssel zeigt die privaten GPTs des Benutzers {user}, die du nicht siehst: Du hast nicht alle seine Schlüssel erzeugt. Lass den Benutzer weg, oder frag den Betreiber.',
    'key-of-user-elsewhere':
      'Der API-Schlüssel {key} gehört zu einem Benutzer einer Firma, die du nicht verwalten darfst. Jemand, der jene Firma verwaltet, muss ihn widerrufen.',
    'context-of-other-user':
      'Das GPT {context} gehört einem anderen Benutzer. Nur er, oder jemand, der Benutzer verwaltet, kann es ändern.',
    'hand-over-needs-rights':
      'Deine Rolle liest und schreibt keine GPTs. Ein Benutzer mit einer solchen Rolle muss sie übergeben.',
    'page-of-other-origin':
      'Eine Seite mit anderem Ursprung hat diese Anfrage gesendet. Der Betreiber kann den Ursprung erlauben.',
    'host-not-own':
      'Den Namen in der Kopfzeile Host hat dieser Server nicht. Der Betreiber muss die öffentliche URL einstellen.',
    'refused-by-host': '{message}',
    'account-of-owner': 'Der Eigentümer dieser Installation benutzt das Konto {account}. Es lässt sich nicht löschen.',
    'user-is-owner':
      'Der Benutzer {user} ist der Eigentümer dieser Installation und lässt sich weder deaktivieren noch löschen.',
    'company-is-root': 'Die oberste Firma lässt sich weder deaktivieren noch löschen: Der Eigentümer handelt für sie.',
    'company-has-companies': [
      'Unter der Firma {company} ist eine Firma. Lösche oder verschiebe sie zuerst.',
      'Unter der Firma {company} sind {count} Firmen. Lösche oder verschiebe sie zuerst.',
    ],
    'role-in-use': [
      'Die Rolle {role} ist noch in einem Recht vergeben. Gib ihm zuerst eine andere Rolle, oder entziehe es.',
      'Die Rolle {role} ist noch in {count} Rechten vergeben. Gib ihnen zuerst eine andere Rolle, oder entziehe sie.',
    ],
    'role-of-system': 'Die Rolle {role} ({name}) gehört zum System und bleibt, wie sie ist.',
    'user-still-active': 'Der Benutzer {user} ist noch aktiv. Deaktiviere oder lösche ihn zuerst.',
    'user-with-other-external-id': 'Der Benutzer {user} hat diese E-Mail-Adresse, aber eine andere externe ID.',
    'user-without-external-id':
      'Der Benutzer {user} hat diese E-Mail-Adresse und keine externe ID. Eine Anwendung kann beide mit linkByEmail verbinden.',
    'email-address-taken': 'Einen Benutzer mit dieser E-Mail-Adresse gibt es schon.',
    'external-id-taken': 'Einen Benutzer mit dieser externen ID gibt es schon.',
    'destination-url-taken': 'Die Firma hat schon ein Ziel mit dieser URL.',
    'client-id-taken': 'Einen API-Schlüssel mit dieser Client-ID gibt es schon.',
    'permission-exists': 'Der Benutzer hat schon ein Recht auf dieses Konto.',
    'limit-of-contexts': 'Anzahl der GPTs der Firma {company}: {held}. Die Grenze ist {max}.',
    'limit-of-documents': 'Anzahl der Dokumente im GPT {context}: {held}. Die Grenze ist {max}.',
    'limit-of-destinations': 'Anzahl der Ziele der Firma {company}: {held}. Die Grenze ist {max}.',
    'limit-of-users': 'Anzahl der Benutzer der Firma {company}: {held}. Die Grenze ist {max}.',
    'limit-of-api-keys': 'Anzahl der API-Schlüssel der Firma {company}: {held}. Die Grenze ist {max}.',
    'limit-of-event-types': 'Die Anwendung hat {max} eigene Arten von Ereignissen, und mehr sind nicht möglich.',
  },
})
