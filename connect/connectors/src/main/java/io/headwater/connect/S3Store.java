package io.headwater.connect;

import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.errors.RetriableException;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;

/** A bucket of Amazon's S3, or of another store that speaks like it. */
final class S3Store implements ObjectStore {
    // Far below the five minutes after which Kafka takes a consumer for dead.
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final String bucket;
    private final S3Client client;

    S3Store(S3SinkConfig config) {
        bucket = config.getString(S3SinkConfig.BUCKET);
        S3ClientBuilder builder = S3Client.builder()
                .region(Region.of(config.getString(S3SinkConfig.REGION)))
                .httpClient(UrlConnectionHttpClient.create())
                .overrideConfiguration(override -> override.apiCallTimeout(PATIENCE))
                // Other stores do not know the checksums that AWS's client adds by itself.
                .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED);
        String url = config.getString(S3SinkConfig.STORE_URL);
        if (!url.isEmpty()) {
            builder.endpointOverride(URI.create(url)).forcePathStyle(true);
        }
        String key = config.getString(S3SinkConfig.KEY);
        if (!key.isEmpty()) {
            String secret = config.getPassword(S3SinkConfig.SECRET).value();
            builder.credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create(key, secret)));
        }
        client = builder.build();
    }

    @Override
    public void put(String key, byte[] content) {
        asked("store " + key, () -> client.putObject(to -> to.bucket(bucket).key(key), RequestBody.fromBytes(content)));
    }

    @Override
    public List<String> list(String prefix, String after) {
        return asked("list " + prefix, () -> client.listObjectsV2(in -> in.bucket(bucket).prefix(prefix).startAfter(after)))
                .contents().stream().map(S3Object::key).toList();
    }

    /** One by one: not every store can take several at once, and there are few. */
    @Override
    public void delete(Collection<String> keys) {
        for (String key : keys) {
            asked("remove " + key, () -> client.deleteObject(at -> at.bucket(bucket).key(key)));
        }
    }

    private <T> T asked(String what, Supplier<T> request) {
        try {
            return request.get();
        } catch (S3Exception e) {
            String said = "the bucket " + bucket + " refused to " + what + ": " + e.getMessage();
            if (e.statusCode() >= 500 || e.statusCode() == 429) {
                throw new RetriableException(said, e);
            }
            throw new ConnectException(said, e);
        } catch (SdkException | UncheckedIOException e) { // a connection that breaks off comes as the latter
            throw new RetriableException("could not " + what + " in the bucket " + bucket + ": " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
