import type { MailSubject, MailWriter } from '../../ports/index.js'

/** The engine's own words, in English. */
export const writeMail: MailWriter = (subject) => {
  const { title, why, please, button, otherwise } = wording(subject)
  const greeting = subject.user.name === '' ? 'Hello,' : `Hello ${subject.user.name},`
  const until = `The link works once, until ${subject.expires.slice(0, 16).replace('T', ' ')} UTC.`
  return {
    subject: title,
    text: [greeting, '', why, please, '', subject.link, '', until, otherwise, ''].join('\n'),
    html: [
      '<!doctype html>',
      `<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head><body>`,
      `<p>${escapeHtml(greeting)}</p>`,
      `<p>${escapeHtml(why)} ${please}</p>`,
      `<p><a href="${escapeHtml(subject.link)}">${button}</a></p>`,
      `<p>${escapeHtml(until)} ${escapeHtml(otherwise)}</p>`,
      '</body></html>',
      '',
    ].join('\n'),
  }
}

function wording({ purpose, companyName, user }: MailSubject) {
  if (purpose === 'invitation') {
    return {
      title: `You are invited to ${companyName}`,
      why: `An account for ${user.email} was made at ${companyName}.`,
      please: 'Choose a password to complete it:',
      button: 'Choose a password',
      otherwise: 'If you did not expect this mail, ignore it.',
    }
  }
  return {
    title: 'Reset your password',
    why: `A new password was asked for ${user.email}.`,
    please: 'Choose it here:',
    button: 'Choose a new password',
    otherwise: 'If you did not ask for it, ignore this mail: your password stays as it is.',
  }
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
