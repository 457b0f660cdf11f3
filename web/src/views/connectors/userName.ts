/** Who changes something. The server has no logins: it records the name that was typed into this browser. */

const KEY = "headwater-user";

export function userName(): string {
  return localStorage.getItem(KEY) ?? "";
}

export function setUserName(name: string): void {
  localStorage.setItem(KEY, name.trim());
}
