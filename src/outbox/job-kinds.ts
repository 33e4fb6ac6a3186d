/** The kinds of jobs that the relay does: sending a delivery, and removing old ones. */
export const DELIVER_EVENT = 'deliver-event'
export const TRIM_DELIVERIES = 'trim-deliveries'
