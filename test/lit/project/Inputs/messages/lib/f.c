void f(void)
{
	/* hd_error(d, "none") */
	hd_error(d, w, "%s: "
		       "bad \"x\" (%u)", g(1), 2);
	fprintf(out, "no");
	fprintf(stderr, "a (%" PRIu64 ")", n);
	hd_note(d, w, c == 39 ? "one" : "two");
}
