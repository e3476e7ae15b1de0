"""A browser that has a push service, as far as one without a window can have it, and its service worker.

The pages get a subscription of the tests, with keys of its own; what was sent to it is delivered by the protocol of the
browser's developer tools, and a click on a notice is an event that the worker gets.
"""

import json

from browser_players import wait_until
from playwright.sync_api import Page

#: All that is kept is there, and the page belongs to the worker.
READY = """async () => {
  const { active } = await navigator.serviceWorker.ready;
  if (active.state !== "activated") await new Promise((on) => { active.onstatechange = on; });
  return (await (await caches.open("hegemon")).keys()).length;
}"""

#: The address of the subscription is remembered, so that all pages know it, and so is that a page has registered the
#: worker, which it does last.
_PHONE = """(() => {
  const { endpoint, public_key: p256dh, secret: auth } = %s;
  const subscription = {
    get options() { return { applicationServerKey: Uint8Array.from(localStorage.getItem("key").split(",")) }; },
    get endpoint() { return localStorage.getItem("phone"); },
    toJSON() { return { endpoint: this.endpoint, keys: { p256dh, auth } }; },
    async unsubscribe() { localStorage.removeItem("phone"); },
  };
  PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
    localStorage.setItem("key", applicationServerKey.join());
    localStorage.setItem("phone", endpoint);
    return subscription;
  };
  PushManager.prototype.getSubscription = async () => subscription.endpoint && subscription;
  const { register } = ServiceWorkerContainer.prototype;
  ServiceWorkerContainer.prototype.register = function (...facts) {
    window.settled = true;
    return register.apply(this, facts);
  };
})()"""

#: A device whose keys no one needs.
ANY_PHONE = {
    "endpoint": "https://push.example.org/phone",
    "public_key": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    "secret": "BTBZMqHH6r4Tts7J_aSIgg",
}

_SHOWN = """async () => (await registration.getNotifications()).map(
  ({ title, body, silent, data }) => ({ title, body, silent, path: data.path })
)"""

#: The browser waits for the work of its own events; for that of one that is made here, the script has to wait.
_DISPATCH = """
  let work;
  event.waitUntil = (promise) => { work = promise; };
  self.dispatchEvent(event);
  await work;
"""


def settle(page: Page) -> None:
    """Wait until a page has done what it does after loading."""
    page.wait_for_function("() => window.settled")


class Phone:
    """The browser of a page, with a push service, and its worker."""

    def __init__(self, page: Page, form: dict[str, str] = ANY_PHONE) -> None:
        self._context = page.context
        page.add_init_script(_PHONE % json.dumps(form))

    def connect(self, page: Page) -> None:
        """Find the worker, by a page that stays open."""
        self._session, found = self._context.new_cdp_session(page), []
        self._session.on(
            "ServiceWorker.workerRegistrationUpdated", lambda it: found.extend(it["registrations"])
        )
        self._session.send("ServiceWorker.enable")
        wait_until(lambda: page.evaluate("1") and found)
        self._facts = {
            "origin": found[0]["scopeURL"].rstrip("/"),
            "registrationId": found[0]["registrationId"],
        }

    def deliver(self, notice: dict) -> None:
        """Let a push arrive."""
        self._session.send("ServiceWorker.deliverPushMessage", self._facts | {"data": json.dumps(notice)})

    def do(self, script: str, argument=None):
        """Let the worker execute a script."""
        return self._context.service_workers[0].evaluate(script, argument)

    @property
    def shown(self) -> list[dict]:
        return self.do(_SHOWN)

    @property
    def titles(self) -> list[str]:
        return [notice["title"] for notice in self.shown]

    def hold_time(self) -> None:
        """Let what the worker does later wait until a test wants it."""
        self.do("() => { self.setTimeout = (work, _, ...facts) => { self.later = () => work(...facts); }; }")

    def let_pass(self) -> None:
        self.do("() => later()")

    def click(self) -> dict[str, str]:
        """Click on the notice; what that opens or brings to the front, which only a real click may."""
        return self.do(
            f"""async () => {{
              const found = {{}}, [notification] = await registration.getNotifications();
              clients.openWindow = async (path) => {{ found.opened = path; }};
              WindowClient.prototype.focus = async function () {{ found.focused = new URL(this.url).pathname; }};
              const event = new NotificationEvent("notificationclick", {{ notification }});
              {_DISPATCH}
              return found;
            }}"""
        )

    def move(self, old: str, new: dict[str, str]) -> None:
        """Let the browser change the address of its subscription by itself."""
        self.do(
            f"""async ([endpoint, {{ endpoint: other, public_key: p256dh, secret: auth }}]) => {{
              const newSubscription = {{ toJSON: () => ({{ endpoint: other, keys: {{ p256dh, auth }} }}) }};
              const facts = {{ oldSubscription: {{ endpoint }}, newSubscription }};
              const event = Object.assign(new Event("pushsubscriptionchange"), facts);
              {_DISPATCH}
            }}""",
            [old, new],
        )
