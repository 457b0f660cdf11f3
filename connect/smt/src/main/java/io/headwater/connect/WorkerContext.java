package io.headwater.connect;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.MDC;

/**
 * Which connector and task a transform belongs to, as far as the worker says. It says so only in its log context
 * (KIP-449): {@code [orders-sink|task-0] }.
 */
record WorkerContext(String connector, int task) {
    private static final Pattern FORM = Pattern.compile("\\[(.+)\\|task-(\\d+)(?:\\|[^\\]]*)?\\] ?");

    /** Of the calling thread, while a worker makes a task. Name "" and task -1 are not known. */
    static WorkerContext here() {
        return read(MDC.get("connector.context"));
    }

    static WorkerContext read(String context) {
        Matcher found = FORM.matcher(context == null ? "" : context);
        return found.matches() ? new WorkerContext(found.group(1), Integer.parseInt(found.group(2))) : new WorkerContext("", -1);
    }
}
