// Keyboard, copy buttons and the state of the connection. Everything is delegated from
// the document, because the content is replaced when it changes.
(() => {
	"use strict";
	const $ = (selector) => document.querySelector(selector);
	const typing = (e) => e.target.closest("input, textarea, select, [contenteditable]");
	let go = 0; // when g was pressed

	const move = (step) => {
		const rows = [...document.querySelectorAll("[data-row]")];
		const here = rows.indexOf(document.activeElement);
		const row = here < 0 ? rows[step > 0 ? 0 : rows.length - 1] : rows[here + step];
		row?.focus();
		row?.closest(".row, li")?.scrollIntoView({ block: "nearest" });
	};

	const say = (button, text) => {
		const before = button.textContent;
		if (button.dataset.said) return;
		button.dataset.said = "1";
		button.textContent = text;
		setTimeout(() => { button.textContent = before; delete button.dataset.said; }, 1500);
	};

	const copy = async (button) => {
		try {
			await navigator.clipboard.writeText(button.dataset.copy);
			say(button, "copied");
		} catch { // not a secure context: select it, so that the browser's own key copies it
			getSelection().selectAllChildren(button.previousElementSibling);
			say(button, "selected");
		}
	};

	document.addEventListener("click", (e) => {
		const button = e.target.closest("[data-copy]");
		if (button) copy(button);
		if (e.target.closest("[data-help]")) $("#keys")?.showModal();
		const act = e.target.closest(".offers a");
		if (act && window.htmx && !e.ctrlKey && !e.metaKey && !e.shiftKey) {
			e.preventDefault();
			htmx.ajax("GET", act.href, { target: "#do-here", select: "#act", swap: "innerHTML" });
		}
		if (e.target.closest("#do [data-back]")) { e.preventDefault(); $("#do").close(); }
	});

	// The page of an act, which a click on its link has fetched, is shown above the row.
	document.addEventListener("htmx:after:swap", () => {
		if ($("#do-here")?.firstElementChild && !$("#do").open) {
			$("#do").showModal();
			$("#do input:not([type=hidden]), #do textarea, #do form button")?.focus();
		}
	});
	$("#do")?.addEventListener("close", () => $("#do-here").replaceChildren());

	// A second click before the answer comes would ask again; the server knows the form by
	// its key.
	document.addEventListener("submit", (e) => {
		if (e.target.method !== "post") return;
		for (const button of e.target.querySelectorAll("button")) setTimeout(() => { button.disabled = true; });
	});
	addEventListener("pageshow", () => { for (const button of document.querySelectorAll("form button")) button.disabled = false; });

	document.addEventListener("keydown", (e) => {
		if (e.ctrlKey || e.metaKey || e.altKey || $("#keys")?.open || $("#do")?.open) return;
		if (typing(e)) {
			if (e.key === "Escape") e.target.blur();
			return;
		}
		if (go && Date.now() - go < 1500) {
			go = 0;
			const link = document.querySelector(`[data-go="${CSS.escape(e.key)}"]`);
			if (link) { e.preventDefault(); link.click(); }
			return;
		}
		switch (e.key) {
		case "j": move(1); break;
		case "k": move(-1); break;
		case "g": go = Date.now(); break;
		case "c": $(".head [data-copy]")?.click(); break;
		case "?": $("#keys")?.showModal(); break;
		case "/": $(".find input")?.focus(); $(".find input")?.select(); break;
		default: return;
		}
		e.preventDefault();
	});

	const link = (text, state) => {
		const it = $("#link");
		if (!it || it.textContent === text) return;
		it.textContent = text;
		it.dataset.state = state;
	};
	document.addEventListener("htmx:sse:after:connection", () => link("live", "on"));
	document.addEventListener("htmx:sse:error", () => link("reconnecting", "off"));
	document.addEventListener("htmx:sse:close", () => link("not live", "off"));
	// A swap must not lose the place that the address names.
	document.addEventListener("htmx:sse:after:message", () => {
		document.documentElement.dataset.updates = Number(document.documentElement.dataset.updates ?? 0) + 1;
	});
})();
