/** What a webhook's secrets are sealed for: copied into another row they do not open. */
export function secretContext(webhookId: string): string {
  return `webhook ${webhookId}`;
}
